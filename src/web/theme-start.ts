import { paintTheme, storedTheme } from './store/theme-paint.ts'

// Runs before the first paint, so that the page does not flash in the wrong theme.
paintTheme(storedTheme())
