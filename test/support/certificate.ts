import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/*
 * For servers on the loopback interface: certificates that signed themselves, all with the same key. Not valid for anything else.
 */

const read = (name: string) => readFileSync(join(import.meta.dir, 'certificates', `${name}.pem`), 'utf8')

export const PRIVATE_KEY = read('private-key')
/** Valid from 2020 to 2119 for localhost and 127.0.0.1, as the next one is. */
export const CERTIFICATE = read('certificate')
/** The one that nobody trusts. */
export const UNKNOWN_CERTIFICATE = read('unknown')
/** For mail.elsewhere.example. */
export const FOREIGN_CERTIFICATE = read('foreign')
/** Was valid in 2020. */
export const EXPIRED_CERTIFICATE = read('expired')
