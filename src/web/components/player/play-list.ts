import { createContext } from 'preact'
import type { Playable } from '../../store/playback/playable.ts'

/** The episodes of the list that a play button stands in, in its order. What comes after the one that plays may follow it. */
export const PlayList = createContext<() => readonly Playable[]>(() => [])
