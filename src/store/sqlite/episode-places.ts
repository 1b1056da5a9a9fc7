import type { Database } from 'bun:sqlite'

/**
 * Makes way for an episode that its feed has at another address by now: `old` is the number of its row as it was. Part of a unit of the
 * write queue.
 */
export type GiveWay = (old: number, url: string) => void

/** Episodes are told apart by their addresses (protocol.md 2.4), which publishers change: signed anew, counted, moved to another host. */
export function createEpisodePlaces(db: Database): GiveWay {
  const isKnown = db.prepare<{ isKnown: number }, [number]>(
    `SELECT EXISTS (SELECT 1 FROM episode_actions a WHERE a.episode_id = e.id)
         OR EXISTS (SELECT 1 FROM settings s WHERE s.scope = 'episode' AND s.target = p.url || ' ' || e.url) AS isKnown
       FROM episodes e JOIN podcasts p ON p.id = e.podcast_id WHERE e.id = +?1`,
  )
  const unlist = db.prepare<undefined, [number]>('UPDATE episode_details SET is_listed = 0 WHERE episode_id = ?1')
  const move = db.prepare<undefined, [number, string]>('UPDATE OR IGNORE episodes SET url = ?2 WHERE id = ?1')
  const remove = db.prepare<undefined, [number]>('DELETE FROM episodes WHERE id = ?1')

  return (old, url) => {
    if (isKnown.get(old)?.isKnown === 1) unlist.run(old)
    // Somebody has told of the new address before the feed did.
    else if (move.run(old, url).changes === 0) remove.run(old)
  }
}
