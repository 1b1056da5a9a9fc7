/** Codes of the languages of emails and of the web client. The compiler demands the texts of each. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'it'] as const

export type Language = (typeof LANGUAGES)[number]

export const USUAL_LANGUAGE: Language = 'en'
