import { expect, test } from 'bun:test'
import { writeWhole } from '../../src/formats/list-writer.ts'
import { podcastXmlWriter } from '../../src/formats/podcast-xml.ts'

const HARBOUR = {
  url: 'https://feeds.tidewater.example/harbour.xml?a=1&b=2',
  title: 'Harbour <Talk>',
  author: 'Tidewater & Co',
  description: '',
  website: 'https://tidewater.example/',
  logoUrl: 'https://tidewater.example/logo.png',
  language: 'en',
  subscribers: 3,
  subscribersLastWeek: 2,
}

test('the custom format has one podcast element each, with all children', () => {
  expect(
    writeWhole(podcastXmlWriter('https://pods.example/sub'), [HARBOUR]),
  ).toBe(`<?xml version="1.0" encoding="utf-8"?>
<podcasts>
  <podcast>
    <title>Harbour &lt;Talk&gt;</title>
    <url>https://feeds.tidewater.example/harbour.xml?a=1&amp;b=2</url>
    <website>https://tidewater.example/</website>
    <mygpo_link>https://pods.example/sub/podcast?url=https%3A%2F%2Ffeeds.tidewater.example%2Fharbour.xml%3Fa%3D1%26b%3D2</mygpo_link>
    <author>Tidewater &amp; Co</author>
    <description></description>
    <subscribers>3</subscribers>
    <logo_url>https://tidewater.example/logo.png</logo_url>
    <scaled_logo_url>https://tidewater.example/logo.png</scaled_logo_url>
  </podcast>
</podcasts>
`)
})

test('an unknown title is the URL', () => {
  const xml = writeWhole(podcastXmlWriter('https://pods.example'), [
    { ...HARBOUR, title: '', url: 'https://a.example/f' },
  ])
  expect(xml).toContain('<title>https://a.example/f</title>')
})

test('no podcasts are an empty root', () => {
  expect(writeWhole(podcastXmlWriter('https://pods.example'), [])).toContain('<podcasts>\n</podcasts>')
})
