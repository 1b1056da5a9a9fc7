/** Brands keep IDs of different nouns from being mixed up. They exist only for the compiler. */
export type UserId = number & { readonly __brand: 'UserId' }
export type SessionId = number & { readonly __brand: 'SessionId' }
export type IdentityId = number & { readonly __brand: 'IdentityId' }
export type AppPasswordId = number & { readonly __brand: 'AppPasswordId' }
export type PodcastId = number & { readonly __brand: 'PodcastId' }
