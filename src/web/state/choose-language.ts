import { type Language, speak, t } from '../text/index.ts'
import { toast } from './toasts.ts'

/** From now on, in this browser; says so if the texts cannot be fetched. */
export async function chooseLanguage(wanted: Language): Promise<void> {
  try {
    await speak(wanted, true)
  } catch {
    toast(t().common.errors.unloadable, { kind: 'error' })
  }
}
