/** The languages of the texts that the server itself writes to people: emails. Its web client has the same. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'it'] as const

export type Language = (typeof LANGUAGES)[number]

/** For everything that nobody has asked for in another one. */
export const USUAL_LANGUAGE: Language = 'en'
