import { askEarly, firstRequests } from './api/early.ts'
import { ACCOUNT_KEY, BASE } from './store/paths.ts'
import { paintTheme, storedTheme } from './store/theme-paint.ts'

// Runs before the first paint, so that the page does not flash in the wrong theme.
paintTheme(storedTheme())
// These requests run while the page's main script is loading.
askEarly(firstRequests(location.pathname.slice(BASE.length), Boolean(localStorage.getItem(ACCOUNT_KEY))))
