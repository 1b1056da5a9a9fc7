import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/*
 * Self-signed certificates for servers on the loopback interface, all with the same key.
 */

const read = (name: string) => readFileSync(join(import.meta.dir, 'certificates', `${name}.pem`), 'utf8')

export const PRIVATE_KEY = read('private-key')
/** Valid from 2020 to 2119 for localhost and 127.0.0.1, like the next one. */
export const CERTIFICATE = read('certificate')
/** Not trusted by clients. */
export const UNKNOWN_CERTIFICATE = read('unknown')
/** For mail.elsewhere.example. */
export const FOREIGN_CERTIFICATE = read('foreign')
/** Valid only in 2020. */
export const EXPIRED_CERTIFICATE = read('expired')
