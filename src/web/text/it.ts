import type { Text } from './en.ts'
import { common } from './it/common.ts'
import { door } from './it/door.ts'

const text: Text = { common, door }

export default text
