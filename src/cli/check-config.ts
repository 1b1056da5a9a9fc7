import { effectiveConfig } from '../config/describe.ts'
import type { Io } from './io.ts'
import { readSettings, type SettingOptions } from './settings.ts'

/** Prints what is in effect and where it comes from; secrets stay hidden. */
export function checkConfig(options: SettingOptions, io: Io): number {
  const loaded = readSettings(options, io)
  for (const warning of loaded.warnings) io.err(`warning: ${warning}\n`)
  io.out(effectiveConfig(loaded))
  return 0
}
