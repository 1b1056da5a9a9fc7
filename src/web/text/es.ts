import type { Text } from './en.ts'
import { common } from './es/common.ts'
import { door } from './es/door.ts'

const text: Text = { common, door }

export default text
