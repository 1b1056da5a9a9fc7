import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { type Answer, call } from '../../api/client.ts'
import { attempt, EmptyState, QueryState } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { Select } from '../../components/forms/choice.tsx'
import { Page, Skeleton } from '../../components/layout/page.tsx'
import { Artwork } from '../../components/podcast/artwork.tsx'
import { podcastHref } from '../../components/podcast/podcast-item.tsx'
import { saveFile } from '../../components/save-file.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { useSearchParam } from '../../hooks/use-search-param.ts'
import { days, language, number, t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { account } from '../../store/session.ts'
import { listenedFor } from '../listening/periods.ts'
import { drawPicture, type Picture } from './picture.ts'
import { type Review, reviewOf, yearOf, yearsUntil, yearToShow } from './review.ts'

type Statistics = Answer<'getListening'>

const TOP = 5

/** The year in review, to view, print and share. */
export default function YearPage() {
  const now = new Date()
  const text = useSearchParam('year')
  const year = text === '' ? yearToShow(now) : yearOf(text, now.getFullYear())
  return <Year key={year} year={year} thisYear={now.getFullYear()} />
}

function Year({ year, thisYear }: { year: number; thisYear: number }) {
  const { route } = useLocation()
  const query = useQuery((signal) =>
    call('getListening', {
      query: { from: `${year}-01-01`, to: `${year}-12-31`, offset: -new Date().getTimezoneOffset() },
      signal,
    }),
  )
  const statistics = query.data.value
  return (
    <Page
      title={t('year.heading', { year })}
      lead={t('year.lead')}
      actions={
        <>
          <Select
            class="select year-choice"
            label={t('year.choose')}
            value={String(year)}
            options={yearsUntil(thisYear).map((each) => ({ value: String(each), label: String(each) }))}
            onChoose={(chosen) => route(href('/year', { year: chosen }))}
          />
          {statistics && statistics.minutes > 0 && <ShareButtons statistics={statistics} year={year} />}
        </>
      }
    >
      <QueryState query={query} skeleton={<Skeleton height="12rem" count={3} />} />
      {statistics?.minutes === 0 && (
        <EmptyState title={t('year.emptyTitle', { year })} text={t('listening.emptyText')} />
      )}
      {statistics && statistics.minutes > 0 && <YearReview statistics={statistics} />}
    </Page>
  )
}

function YearReview({ statistics }: { statistics: Statistics }) {
  const review = reviewOf(statistics)
  return (
    <div class="stack">
      <section class="card year-total">
        <p class="listening-total">{t('year.minutes', { n: statistics.minutes })}</p>
        {statistics.minutes >= 60 && <p>{t('year.thatIs', { amount: listenedFor(statistics.minutes) })}</p>}
      </section>
      <dl class="figures year-facts">
        {factsOf(statistics, review).map(({ name, value, note }) => (
          <div key={name} class="card">
            <dt class="muted small">{name}</dt>
            <dd>
              <strong>{value}</strong>
              {note !== '' && <span class="muted small">{note}</span>}
            </dd>
          </div>
        ))}
      </dl>
      <div class="year-pair">
        <Months minutes={review.months} />
        <section class="card stack">
          <h2>{t('listening.top')}</h2>
          <ol class="stack">
            {statistics.podcasts.slice(0, TOP).map(({ url, title, logo_url: logo, minutes }, index) => (
              <li class="media" key={url}>
                <span class="media-rank" aria-hidden="true">
                  {number(index + 1)}
                </span>
                <Artwork url={url} title={title} size={128} hasPicture={logo !== ''} />
                <div class="media-text">
                  <p class="media-title clamp" dir="auto">
                    <a href={podcastHref(url)}>{title}</a>
                  </p>
                  <p class="muted small">{listenedFor(minutes)}</p>
                </div>
              </li>
            ))}
          </ol>
        </section>
      </div>
    </div>
  )
}

interface Fact {
  readonly name: string
  readonly value: string
  readonly note: string
}

function factsOf({ episodes }: Statistics, { days: daysListened, streak, busiest, weekday }: Review): readonly Fact[] {
  return [
    { name: t('year.facts.episodes'), value: number(episodes), note: '' },
    { name: t('year.facts.days'), value: number(daysListened), note: '' },
    ...(streak
      ? [
          {
            name: t('year.facts.streak'),
            value: t('year.days', { n: streak.days }),
            note: days(streak.from, streak.to),
          },
        ]
      : []),
    ...(busiest
      ? [
          {
            name: t('year.facts.busiest'),
            value: days(busiest.date, busiest.date),
            note: listenedFor(busiest.minutes),
          },
        ]
      : []),
    ...(weekday !== undefined ? [{ name: t('year.facts.weekday'), value: weekdayName(weekday), note: '' }] : []),
  ]
}

/** Any Monday, for formatting the names of the weekdays. */
const MONDAY = Date.UTC(2024, 0, 1)

function weekdayName(weekday: number): string {
  const format = new Intl.DateTimeFormat(language.value, { weekday: 'long', timeZone: 'UTC' })
  return format.format(MONDAY + weekday * 86_400_000)
}

function monthName(month: number, style: 'narrow' | 'long'): string {
  return new Intl.DateTimeFormat(language.value, { month: style, timeZone: 'UTC' }).format(Date.UTC(2024, month, 1))
}

/** Minutes per month as bars, each with its value for screen readers. */
function Months({ minutes }: { minutes: readonly number[] }) {
  const most = Math.max(1, ...minutes)
  return (
    <section class="card stack">
      <h2>{t('year.months')}</h2>
      <ol class="year-months">
        {minutes.map((value, month) => (
          <li key={month} title={`${monthName(month, 'long')}: ${listenedFor(value)}`}>
            <span class="hidden-text">
              {monthName(month, 'long')}: {listenedFor(value)}
            </span>
            <span class="year-bar" aria-hidden="true" style={{ blockSize: `${(value / most) * 100}%` }} />
            <span class="small muted" aria-hidden="true">
              {monthName(month, 'narrow')}
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}

/** Saves the year as a picture, drawn in the browser, or shares it with another app if the browser supports that. */
function ShareButtons({ statistics, year }: { statistics: Statistics; year: number }) {
  const isBusy = useSignal(false)
  const canShare = typeof navigator.canShare === 'function' && navigator.canShare({ files: [fileOf(new Blob(), year)] })

  async function withPicture(use: (file: File) => Promise<unknown> | unknown): Promise<void> {
    isBusy.value = true
    await attempt(async () => use(fileOf(await drawPicture(pictureOf(statistics, year)), year)), 'year')
    isBusy.value = false
  }

  return (
    <>
      {canShare && (
        <Button icon="external" isBusy={isBusy.value} onClick={() => withPicture(share)}>
          {t('year.share')}
        </Button>
      )}
      <Button icon="print" onClick={() => print()}>
        {t('year.print')}
      </Button>
      <Button kind="main" icon="download" isBusy={isBusy.value} onClick={() => withPicture(saveFile)}>
        {t('year.save')}
      </Button>
    </>
  )
}

function fileOf(content: Blob, year: number): File {
  return new File([content], `podstep-${year}.png`, { type: 'image/png' })
}

async function share(file: File): Promise<void> {
  try {
    await navigator.share({ files: [file] })
  } catch (error) {
    // The user has closed the browser's dialog.
    if (!(error instanceof DOMException && error.name === 'AbortError')) throw error
  }
}

function pictureOf(statistics: Statistics, year: number): Picture {
  const review = reviewOf(statistics)
  return {
    title: t('year.heading', { year }),
    subtitle: account.value?.username ?? '',
    total: t('year.minutes', { n: statistics.minutes }),
    facts: factsOf(statistics, review)
      .slice(0, 3)
      .map(({ name, value }) => ({ name, value })),
    top: statistics.podcasts
      .slice(0, TOP)
      .map(({ url, title, minutes }) => ({ url, title, note: listenedFor(minutes) })),
    topTitle: t('listening.top'),
  }
}
