/** Row numbers of different nouns must not be mixed up; the brands exist only for the compiler. */
export type UserId = number & { readonly __brand: 'UserId' }
export type SessionId = number & { readonly __brand: 'SessionId' }
export type IdentityId = number & { readonly __brand: 'IdentityId' }
export type AppPasswordId = number & { readonly __brand: 'AppPasswordId' }
export type PodcastId = number & { readonly __brand: 'PodcastId' }
