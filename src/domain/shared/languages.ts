export const LANGUAGES = ['en', 'de', 'fr', 'es', 'it'] as const

export type Language = (typeof LANGUAGES)[number]

export const USUAL_LANGUAGE: Language = 'en'
