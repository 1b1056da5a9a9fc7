import { kept } from './kept.ts'

/** Whether single keys do something; people who speak to their computer may not want that (WCAG 2.1.4). */
export const shortcuts = kept('shortcuts', ['on', 'off'], 'on')
