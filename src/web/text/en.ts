import { common } from './en/common.ts'
import { door } from './en/door.ts'

const text = { common, door }

export type Text = typeof text
export default text
