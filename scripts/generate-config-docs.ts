import { readFileSync, writeFileSync } from 'node:fs'
import { exampleToml, withSettingsTable } from './config-docs.ts'

const DOCUMENT = 'docs/configuration.md'

// Writes all files generated from the table of settings. A test fails if one of them is out of date.
writeFileSync('config.example.toml', exampleToml())

const updated = withSettingsTable(readFileSync(DOCUMENT, 'utf8'))
if (updated === undefined) throw new Error(`${DOCUMENT}: no place is marked for the settings table`)
writeFileSync(DOCUMENT, updated)
