export { browserEngine } from '../../components/player/audio.tsx'
export { Player } from '../../components/player/player.tsx'
