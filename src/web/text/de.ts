import { common } from './de/common.ts'
import { door } from './de/door.ts'
import type { Text } from './en.ts'

const text: Text = { common, door }

export default text
