import { render } from 'preact'
import { App } from './app.tsx'
import { loadAccount } from './state/session.ts'
import { preferredLanguage, speak } from './text/index.ts'

const place = document.getElementById('app')
if (!place) throw new Error('the page has no place for the application')
await Promise.all([speak(preferredLanguage()), loadAccount()])
render(<App />, place)
