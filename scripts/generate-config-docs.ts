import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { exampleToml, withSettingsTable } from '../src/config/describe.ts'

// Writes everything that is made from the table of settings. A test fails when one of these files is out of date.
writeFileSync('config.example.toml', exampleToml())

const readme = existsSync('README.md') ? withSettingsTable(readFileSync('README.md', 'utf8')) : undefined
if (readme !== undefined) writeFileSync('README.md', readme)
