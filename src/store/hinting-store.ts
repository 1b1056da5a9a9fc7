import type { Hint, Hints } from '../domain/shared/hints.ts'
import type { PodcastId, UserId } from '../domain/shared/ids.ts'
import type { EpisodeAction } from '../domain/sync/ports/episode-actions.ts'
import type { SettingsKey } from '../domain/sync/ports/settings.ts'
import type { Store } from './stores.ts'

/** Wraps the store to send hints to open pages. The only place that knows which pages a write affects. */
export function createHintingStore(store: Store, hints: Hints): Store {
  return {
    ...store,
    ...hintingAccounts(store, hints),
    ...hintingSync(store, hints),
    ...hintingFeeds(store, hints),
    ...hintingTransfer(store, hints),
  }
}

const ACCOUNT: Hint = { topic: 'account' }
const APP_PASSWORDS: Hint = { topic: 'app-passwords' }
const DEVICES: Hint = { topic: 'devices' }
const SETTINGS: Hint = { topic: 'settings' }
const SUBSCRIPTIONS: Hint = { topic: 'subscriptions' }
const EPISODES: Hint = { topic: 'episodes' }
const FOLDERS: Hint = { topic: 'folders' }
const QUEUE: Hint = { topic: 'queue' }

function publisher(hints: Hints) {
  return async <T>(userId: UserId, write: Promise<T>, ...which: readonly Hint[]): Promise<T> => {
    const written = await write
    for (const hint of which) hints.publish(userId, hint)
    return written
  }
}

function hintingAccounts(store: Store, hints: Hints): Partial<Store> {
  const { users, secondFactors, sessions, appPasswords, loginFlows, tokens, identities, webhooks } = store
  const after = publisher(hints)

  async function afterNamed<T>(username: string, write: () => Promise<T>): Promise<T> {
    const user = hints.isWatched() ? await users.findByName(username) : undefined
    const written = await write()
    if (user) hints.publish(user.id, ACCOUNT)
    return written
  }

  return {
    users: {
      ...users,
      changePassword: (userId, ...rest) => after(userId, users.changePassword(userId, ...rest), ACCOUNT),
      setPassword: (name, ...rest) => afterNamed(name, () => users.setPassword(name, ...rest)),
      setAdmin: (name, ...rest) => afterNamed(name, () => users.setAdmin(name, ...rest)),
      setActive: (name, ...rest) => afterNamed(name, () => users.setActive(name, ...rest)),
      remove: (name, ...rest) => afterNamed(name, () => users.remove(name, ...rest)),
      changeEmail: (userId, ...rest) => after(userId, users.changeEmail(userId, ...rest), ACCOUNT),
      removeOwn: (userId, ...rest) => after(userId, users.removeOwn(userId, ...rest), ACCOUNT),
    },
    secondFactors: {
      ...secondFactors,
      enable: (userId, ...rest) => after(userId, secondFactors.enable(userId, ...rest), ACCOUNT),
      replaceRecoveryCodes: (userId, ...rest) =>
        after(userId, secondFactors.replaceRecoveryCodes(userId, ...rest), ACCOUNT),
      disable: (userId, ...rest) => after(userId, secondFactors.disable(userId, ...rest), ACCOUNT),
      reset: (name, ...rest) => afterNamed(name, () => secondFactors.reset(name, ...rest)),
    },
    sessions: {
      ...sessions,
      create: (userId, ...rest) => after(userId, sessions.create(userId, ...rest), ACCOUNT),
      async remove(id) {
        const userId = await sessions.remove(id)
        if (userId !== undefined) hints.publish(userId, ACCOUNT)
        return userId
      },
      removeOwn: (userId, ...rest) => after(userId, sessions.removeOwn(userId, ...rest), ACCOUNT),
      removeOthers: (userId, ...rest) => after(userId, sessions.removeOthers(userId, ...rest), ACCOUNT),
    },
    appPasswords: {
      ...appPasswords,
      create: (session, userId, ...rest) => after(userId, appPasswords.create(session, userId, ...rest), APP_PASSWORDS),
      remove: (userId, ...rest) => after(userId, appPasswords.remove(userId, ...rest), APP_PASSWORDS, ACCOUNT),
    },
    loginFlows: {
      ...loginFlows,
      grant: (page, session, userId, at) => after(userId, loginFlows.grant(page, session, userId, at), APP_PASSWORDS),
      async collect(...args) {
        const user = await loginFlows.collect(...args)
        if (user) hints.publish(user.id, APP_PASSWORDS)
        return user
      },
    },
    tokens: {
      ...tokens,
      async resetPassword(...args) {
        const user = await tokens.resetPassword(...args)
        hints.publish(user.id, ACCOUNT)
        return user
      },
    },
    identities: {
      ...identities,
      link: (userId, ...rest) => after(userId, identities.link(userId, ...rest), ACCOUNT),
      unlink: (userId, ...rest) => after(userId, identities.unlink(userId, ...rest), ACCOUNT),
    },
    webhooks: {
      ...webhooks,
      set: (userId, ...rest) => after(userId, webhooks.set(userId, ...rest), ACCOUNT),
      remove: (userId, ...rest) => after(userId, webhooks.remove(userId, ...rest), ACCOUNT),
    },
  }
}

function hintingSync(store: Store, hints: Hints): Partial<Store> {
  const { devices, syncGroups, subscriptions, listChanges, episodeActions } = store
  const { upgrades, chapters, settings, episodeQueue, folders } = store
  const after = publisher(hints)
  return {
    devices: {
      ...devices,
      upsert: (userId, ...rest) => after(userId, devices.upsert(userId, ...rest), DEVICES),
      remove: (userId, ...rest) => after(userId, devices.remove(userId, ...rest), DEVICES, SUBSCRIPTIONS),
    },
    syncGroups: {
      ...syncGroups,
      regroup: (userId, ...rest) => after(userId, syncGroups.regroup(userId, ...rest), DEVICES, SUBSCRIPTIONS),
    },
    subscriptions: {
      ...subscriptions,
      applyUpload(userId, uid, change, context) {
        const write = subscriptions.applyUpload(userId, uid, change, context)
        // Some apps send empty changes every few minutes.
        if (change.add.length + change.remove.length === 0) return write
        return after(userId, write, SUBSCRIPTIONS, DEVICES)
      },
      replace: (userId, ...rest) => after(userId, subscriptions.replace(userId, ...rest), SUBSCRIPTIONS, DEVICES),
    },
    listChanges: {
      ...listChanges,
      restore: (userId, ...rest) => after(userId, listChanges.restore(userId, ...rest), SUBSCRIPTIONS, DEVICES),
    },
    upgrades: {
      ...upgrades,
      apply: (userId, ...rest) => after(userId, upgrades.apply(userId, ...rest), SUBSCRIPTIONS, QUEUE, FOLDERS),
      applyMove: (userId, ...rest) => after(userId, upgrades.applyMove(userId, ...rest), SUBSCRIPTIONS, QUEUE, FOLDERS),
    },
    episodeActions: {
      ...episodeActions,
      async applyUpload(userId, actions, context) {
        if (!hints.isWatched(userId)) return episodeActions.applyUpload(userId, actions, context)
        const named = new Set<string>()
        const written = await episodeActions.applyUpload(userId, notePodcasts(actions, named), context)
        if (written.added > 0) hints.publish(userId, episodesOf(named))
        return written
      },
    },
    episodeQueue: {
      ...episodeQueue,
      update: (userId, ...rest) => after(userId, episodeQueue.update(userId, ...rest), QUEUE),
      remove: (userId, ...rest) => after(userId, episodeQueue.remove(userId, ...rest), QUEUE),
    },
    folders: {
      ...folders,
      ensure: (userId, ...rest) => after(userId, folders.ensure(userId, ...rest), FOLDERS),
      rename: (userId, ...rest) => after(userId, folders.rename(userId, ...rest), FOLDERS),
      remove: (userId, ...rest) => after(userId, folders.remove(userId, ...rest), FOLDERS),
      assign: (userId, ...rest) => after(userId, folders.assign(userId, ...rest), FOLDERS),
    },
    chapters: {
      ...chapters,
      change: (userId, target, ...rest) =>
        after(userId, chapters.change(userId, target, ...rest), episodesOf(new Set([podcastOf(target)]))),
    },
    settings: {
      ...settings,
      change: (userId, key, ...rest) => after(userId, settings.change(userId, key, ...rest), ...hintsOfSettings(key)),
      dateFavorite: (userId, ...rest) => after(userId, settings.dateFavorite(userId, ...rest), EPISODES),
    },
  }
}

function* notePodcasts(actions: Iterable<EpisodeAction>, named: Set<string>): Generator<EpisodeAction> {
  for (const action of actions) {
    if (named.size < 2) named.add(action.podcast)
    yield action
  }
}

function episodesOf(podcasts: ReadonlySet<string>): Hint {
  const [podcast] = podcasts
  return podcast !== undefined && podcasts.size === 1 ? { topic: 'episodes', podcast } : EPISODES
}

function podcastOf(target: string): string {
  return target.split(' ', 1)[0] ?? ''
}

/** Some settings affect more than settings: sync groups, private podcasts, favorites. */
function hintsOfSettings({ scope, target }: SettingsKey): readonly Hint[] {
  if (scope === 'account') return [SETTINGS, DEVICES, SUBSCRIPTIONS]
  if (scope === 'podcast') return [SETTINGS, { topic: 'podcast', url: target }]
  if (scope === 'episode') return [SETTINGS, { topic: 'episodes', podcast: podcastOf(target) }]
  return [SETTINGS]
}

/** Sends hints about feeds only to their subscribers, and only if something is new. */
function hintingFeeds({ feeds }: Store, hints: Hints): Partial<Store> {
  const changed = new Set<PodcastId>()

  async function publish(id: PodcastId): Promise<void> {
    // A podcast may have thousands of subscribers, few of whom have a page open.
    const watching = hints.watching()
    if (watching.length === 0) return
    const { url, userIds } = await feeds.subscribers(id, watching)
    for (const userId of userIds) hints.publish(userId, { topic: 'podcast', url })
  }

  async function wasFailing(id: PodcastId): Promise<boolean | undefined> {
    if (!hints.isWatched()) return undefined
    return ((await feeds.get(id))?.failures ?? 0) > 0
  }

  return {
    feeds: {
      ...feeds,
      async saveDetails(id, details) {
        const isNew = await feeds.saveDetails(id, details)
        // Shows the title immediately, without waiting for hundreds of episodes.
        if (isNew) await publish(id)
        return isNew
      },
      async saveEpisodes(id, ...rest) {
        const count = await feeds.saveEpisodes(id, ...rest)
        if (count > 0) changed.add(id)
        return count
      },
      async succeed(id, success) {
        const failed = await wasFailing(id)
        await feeds.succeed(id, success)
        if (changed.delete(id) || failed === true) await publish(id)
      },
      async fail(id, failure) {
        const failed = await wasFailing(id)
        await feeds.fail(id, failure)
        if (changed.delete(id) || failed === false) await publish(id)
      },
    },
  }
}

function hintingTransfer({ imports, transfer }: Store, hints: Hints): Partial<Store> {
  const after = publisher(hints)
  const owners = new Map<number, UserId>()

  function publish(id: number): void {
    const userId = owners.get(id)
    if (userId !== undefined) hints.publish(userId, { topic: 'import', id })
  }

  return {
    imports: {
      ...imports,
      async begin(userId, ...rest) {
        const stored = await imports.begin(userId, ...rest)
        owners.set(stored.id, userId)
        publish(stored.id)
        return stored
      },
      async save(id, progress, end) {
        await imports.save(id, progress, end)
        publish(id)
        if (end) owners.delete(id)
      },
      async listIn(states) {
        const found = await imports.listIn(states)
        for (const { id, userId, state } of found) if (state === 'running') owners.set(id, userId)
        return found
      },
    },
    transfer: {
      ...transfer,
      placeFeeds: (userId, ...rest) => after(userId, transfer.placeFeeds(userId, ...rest), SUBSCRIPTIONS),
      addTitles: (userId, ...rest) => after(userId, transfer.addTitles(userId, ...rest), SUBSCRIPTIONS),
    },
  }
}
