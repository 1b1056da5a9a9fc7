export { default as Add } from '../add/add.tsx'
export { default as Discover } from '../discover/discover.tsx'
export { default as Episode } from '../podcast/episode.tsx'
export { default as Podcast } from '../podcast/podcast.tsx'
