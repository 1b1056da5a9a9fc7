import { createContext } from 'preact'
import type { Playable } from '../../store/playback/playable.ts'

/** Episodes of the list that contains a play button, in order. Those after the one played may play next. */
export const PlayList = createContext<() => readonly Playable[]>(() => [])
