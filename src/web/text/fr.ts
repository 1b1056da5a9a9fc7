import type { Text } from './en.ts'
import { common } from './fr/common.ts'
import { door } from './fr/door.ts'

const text: Text = { common, door }

export default text
