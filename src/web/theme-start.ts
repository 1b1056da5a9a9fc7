import { paintTheme, storedTheme } from './store/theme-paint.ts'

// Runs before anything is painted, so that a chosen theme does not flash.
paintTheme(storedTheme())
