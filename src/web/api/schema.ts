// Made by `bun run generate:openapi` from docs/openapi.json: the operations that the client calls.

export interface Operations {
  getServer: {
    answer: { version: string; registration: "open" | "closed" | "invite"; first_run: boolean; mail: boolean; outbound: boolean; sso: { enabled: boolean; provider_name: string | null; login_url: string | null }; proxy_user: string | null; external_directory: boolean; account: { username: string; email: string; is_admin: boolean; is_active: boolean; has_password: boolean; has_second_factor: boolean } | null; base_url: string; addresses: readonly (string)[] }
  }
  login: { path: { username: string | number }; answer: { status: "ok" } }
  logout: { path: { username: string | number }; answer: { status: "ok" } }
  loginByProxy: { answer: { status: "ok" } }
  register: {
    body: { username: string; password: string; email?: string | null }
    answer: { status: "active" | "pending_activation"; is_admin?: boolean; message?: string }
  }
  activate: { body: { token: string }; answer: { status: "active" } }
  requestPasswordReset: { body: { email: string }; answer: { status: "ok" } }
  confirmPasswordReset: { body: { token: string; new_password: string }; answer: { status: "ok" } }
  getOwnAccount: {
    answer: { username: string; email: string; is_admin: boolean; is_active: boolean; has_password: boolean; has_second_factor: boolean }
  }
  deleteOwnAccount: { body: { password?: string | null; username?: string | null }; answer: { status: "ok" } }
  changePassword: {
    body: { old_password?: string | null; new_password: string; username?: string | null }
    answer: { status: "ok" }
  }
  listSessions: {
    answer: readonly ({ id: number; created: string; last_used: string; expires: string; current: boolean; client: string })[]
  }
  endOtherSessions: { answer: { status: "ok" } }
  endSession: { path: { id: string | number }; answer: { status: "ok" } }
  changeEmail: { body: { email: string; password?: string | null; username?: string | null }; answer: { status: "ok" } }
  watchAccount: { answer: string }
  getSecondFactor: { answer: { enabled: boolean; since: string; recovery_codes: number } }
  enableSecondFactor: { body: { code: string }; answer: { recovery_codes: readonly (string)[] } }
  disableSecondFactor: { body: { password: string; code: string }; answer: { status: "ok" } }
  beginSecondFactor: { body: { password: string }; answer: { secret: string; uri: string } }
  renewRecoveryCodes: { body: { password: string; code: string }; answer: { recovery_codes: readonly (string)[] } }
  listAppPasswords: {
    answer: readonly ({ id: number; name: string; scope: "sync" | "read" | "feeds"; created: string; last_used: string; client: string })[]
  }
  createAppPassword: {
    body: { name: string; scope?: "sync" | "read" | "feeds" }
    answer: { id: number; name: string; scope: "sync" | "read" | "feeds"; created: string; last_used: string; client: string; password: string; addresses?: { new: string; in_progress: string; queue: string; tag: string; folder: string; subscriptions: string } }
  }
  revokeAppPassword: { path: { id: string | number }; answer: { status: "ok" } }
  exportAccount: {
    answer: { format: "podstep account"; version: number; exported: string; account: { username: string; email: string; is_admin: boolean; created: string; identities: readonly ({ issuer: string; subject: string; linked: string })[]; app_passwords: readonly ({ name: string; scope: string; created: string; last_used: string; client: string })[]; webhook?: { site: string; format: string; events: readonly (string)[] } }; devices: readonly ({ id: string; caption: string; type: string; last_contact: string; subscriptions: readonly ({ url: string; added: string })[]; unsubscribed: readonly ({ url: string; removed: string })[]; replaced_addresses: readonly (string)[] })[]; sync_groups: readonly (readonly (string)[])[]; settings: readonly ({ scope: string; device?: string; podcast?: string; episode?: string; settings: Record<string, unknown> })[]; favorites: readonly ({ podcast: string; episode: string; added: string })[]; folders: readonly ({ name: string; podcasts: readonly (string)[] })[]; queue: readonly ({ podcast: string; episode: string })[]; podcast_lists: readonly ({ name: string; title: string; podcasts: readonly (string)[] })[]; chapters: readonly ({ podcast: string; episode: string; start: number; end: number; label: string; advertisement: boolean })[]; titles: readonly ({ podcast: string; title: string })[]; episode_actions: readonly ({ podcast: string; episode: string; action: string; timestamp: string })[] }
  }
  exportCsv: { answer: string }
  startImport: {
    query: { name?: string | number; device?: string | number; caption?: string | number }
    body: { from?: string; username?: string; password?: string; kind?: string }
    answer: string
  }
  listImports: {
    answer: readonly ({ id: number; source: string; name: string; state: "running" | "interrupted" | "done" | "failed" | "cancelled"; error: string; started: string; ended: string; done: number; total: number | null; counts: readonly ({ what: string; imported: number; present: number; skipped: number })[]; skipped: readonly ({ what: string; reason: string; count: number; examples: readonly (string)[] })[] })[]
  }
  previewImport: {
    query: { name?: string | number; device?: string | number }
    body: string
    answer: { source: string; podcasts: readonly ({ url: string; title: string; state: "new" | "known" | "duplicate" | "invalid" })[]; counts: { new: number; known: number; duplicate: number; invalid: number }; folders: readonly (string)[]; has_more: boolean; damaged: boolean }
  }
  getImport: {
    path: { id: string | number }
    answer: { id: number; source: string; name: string; state: "running" | "interrupted" | "done" | "failed" | "cancelled"; error: string; started: string; ended: string; done: number; total: number | null; counts: readonly ({ what: string; imported: number; present: number; skipped: number })[]; skipped: readonly ({ what: string; reason: string; count: number; examples: readonly (string)[] })[] }
  }
  removeImport: { path: { id: string | number }; answer: { status: "ok" } }
  findInvitation: { body: { token: string }; answer: { username: string; expires: string } }
  acceptInvitation: { body: { token: string; password: string }; answer: { status: "active"; username: string } }
  listDevices: {
    path: { username: string | number }
    answer: readonly ({ id: string; caption: string; type: string; subscriptions: number; last_contact: string })[]
  }
  updateDevice: {
    path: { username: string | number; deviceid: string | number }
    body: { caption?: string | null; type?: string | null }
    answer: string
  }
  deleteDevice: { path: { username: string | number; deviceid: string | number }; answer: { status: "ok" } }
  getSyncGroups: {
    path: { username: string | number }
    answer: { synchronized: readonly (readonly (string)[])[]; "not-synchronized": readonly (string)[] }
  }
  changeSyncGroups: {
    path: { username: string | number }
    body: { synchronize?: readonly (readonly (string | null)[] | null)[] | null; "stop-synchronize"?: readonly (string | null)[] | null }
    answer: { synchronized: readonly (readonly (string)[])[]; "not-synchronized": readonly (string)[] }
  }
  listActivity: {
    query: { before?: string | number }
    answer: { next: number | null; items: readonly ({ time: number; since: number; count: number; device: string | null; device_caption: string; app: string; by: "app" | "browser"; kind: string; added: number; removed: number; reason: string | null; items: number })[] }
  }
  listOwnPodcasts: {
    answer: readonly ({ url: string; title: string; author: string; language: string; has_picture: boolean; devices: readonly (string)[]; added: string; newest_release: string; private: boolean; health: { state: "ok" | "failing" | "gone" | "new"; since: string } })[]
  }
  listHolders: { answer: readonly ({ url: string; devices: readonly (string)[] })[] }
  getOwnPodcast: {
    query: { url?: string | number }
    answer: { url: string; subscribed: boolean; devices: readonly ({ id: string; caption: string; type: string; subscribed: boolean })[]; added: string; newest_release: string; private: boolean; health: { state: "ok" | "failing" | "gone" | "new"; since: string; last_checked: string; last_success: string; reason: string; cause: string } }
  }
  refreshOwnPodcast: { body: { url: string }; answer: { status: "ok"; episodes: number } }
  uploadSubscriptionChanges: {
    path: { username: string | number; deviceid: string | number }
    body: { add?: readonly (string | null)[] | null; remove?: readonly (string | null)[] | null; titles?: Record<string, string> | null }
    answer: { timestamp: number; update_urls: readonly ([string, string])[] }
  }
  listUserSubscriptions: {
    path: { username: string | number; format: string | number }
    query: { scale_logo?: string | number }
    answer: readonly ({ url: string; title: string; author: string; description: string; website: string; logo_url: string; scaled_logo_url: string; language: string; subscribers: number; subscribers_last_week: number; mygpo_link: string })[]
  }
  listDeviceSubscriptions: {
    path: { username: string | number; deviceid: string | number; format: string | number }
    query: { scale_logo?: string | number }
    answer: readonly (string)[]
  }
  listChanges: {
    query: { before?: string | number }
    answer: { next: number | null; items: readonly ({ id: number; time: number; device: string | null; device_caption: string; app: string; kind: string; added: readonly ({ url: string; title: string })[]; added_count: number; removed: readonly ({ url: string; title: string })[]; removed_count: number; text: string; can_undo: boolean })[] }
  }
  restoreLists: {
    body: { device: string | null; time: number }
    answer: { status: "ok"; devices: readonly (string)[]; timestamp: number }
  }
  listUpgrades: { answer: readonly ({ http_url: string; https_url: string; title: string })[] }
  applyUpgrade: {
    body: { http_url: string; https_url: string }
    answer: { status: "ok"; devices: readonly (string)[]; timestamp: number }
  }
  listMoves: { answer: readonly ({ url: string; new_url: string; title: string })[] }
  applyMove: {
    body: { url: string; new_url: string }
    answer: { status: "ok"; devices: readonly (string)[]; timestamp: number }
  }
  listEpisodeActions: {
    path: { username: string | number }
    query: { since?: string | number; podcast?: string | number; device?: string | number; aggregated?: string | number }
    answer: { actions: readonly ({ podcast: string; episode: string; guid?: string; device?: string; action: string; timestamp: string; started?: number; position?: number; total?: number })[]; timestamp: number }
  }
  uploadEpisodeActions: {
    path: { username: string | number }
    body: readonly ({ podcast: string; episode: string; guid?: string; device?: string; action: string; timestamp?: string; started?: number; position?: number; total?: number })[]
    answer: { timestamp: number; update_urls: readonly ([string, string])[]; rejected?: readonly ({ index: number; error: string; message: string })[] }
  }
  listInProgress: {
    query: { before?: string | number; per_page?: string | number }
    answer: { next: string | null; items: readonly ({ podcast: { url: string; title: string; logo_url: string; artwork: string }; episode: { title: string; url: string; website: string; mygpo_link: string; guid: string; released: string; duration: number | null; image_url: string; has_picture: boolean }; state: "new" | "in_progress" | "played"; position?: number; total?: number; device?: string; timestamp?: string })[] }
  }
  listInbox: {
    query: { before?: string | number; per_page?: string | number; podcast?: string | number; tag?: string | number; folder?: string | number; unplayed?: string | number; new?: string | number }
    answer: { next: string | null; items: readonly ({ podcast: { url: string; title: string; logo_url: string; artwork: string }; episode: { title: string; url: string; website: string; mygpo_link: string; guid: string; released: string; duration: number | null; image_url: string; has_picture: boolean }; state: "new" | "in_progress" | "played"; position?: number; total?: number; device?: string; timestamp?: string })[] }
  }
  listOwnTags: { answer: readonly ({ title: string; tag: string; usage: number })[] }
  listUnplayed: { answer: readonly ({ url: string; unplayed: number; new: number })[] }
  markEpisodes: {
    body: { as?: "played" | "new" | "in_progress"; episodes?: readonly ({ podcast: string; episode: string; guid?: string; position?: number; total?: number })[]; podcast?: string; all?: { podcasts?: readonly (string)[]; tag?: string; folder?: number; newest?: { podcast: string; episode: string }; new?: boolean }; undo?: string }
    answer: { status: "ok"; marked: number; has_more: boolean; undo: string | null; timestamp: number }
  }
  getHome: {
    answer: { in_progress: readonly ({ podcast: { url: string; title: string; logo_url: string; artwork: string }; episode: { title: string; url: string; website: string; mygpo_link: string; guid: string; released: string; duration: number | null; image_url: string; has_picture: boolean }; state: "new" | "in_progress" | "played"; position?: number; total?: number; device?: string; timestamp?: string })[]; inbox: readonly ({ podcast: { url: string; title: string; logo_url: string; artwork: string }; episode: { title: string; url: string; website: string; mygpo_link: string; guid: string; released: string; duration: number | null; image_url: string; has_picture: boolean }; state: "new" | "in_progress" | "played"; position?: number; total?: number; device?: string; timestamp?: string })[]; devices: readonly ({ id: string; caption: string; type: string; subscriptions: number; last_contact: string })[]; synchronized: readonly (readonly (string)[])[]; settings: Record<string, unknown>; folders: readonly ({ id: number; name: string; podcasts: readonly (string)[] })[]; server: readonly ({ check: "settings" | "data_folder" | "disk_space" | "database" | "backup" | "users" | "passwords" | "feed_worker" | "server" | "base_url" | "proxy" | "certificate" | "clock" | "mail" | "sign_on" | "directory"; status: "ok" | "error" | "warning" | "todo" | "optional" | "skipped"; code: "check_failed" | "check_late" | "not_checked" | "settings_ok" | "settings_none" | "settings_open" | "settings_odd" | "settings_wrong" | "folder_ok" | "folder_new" | "folder_open" | "folder_network" | "folder_full" | "folder_read_only" | "folder_read_only_volume" | "folder_no_folder" | "folder_no_file" | "folder_foreign" | "folder_foreign_volume" | "folder_selinux" | "folder_selinux_volume" | "folder_skipped" | "space_ok" | "space_low" | "database_ok" | "database_none" | "database_late" | "database_damaged" | "database_unreadable" | "postgres_ok" | "postgres_unusable" | "postgres_unsafe" | "postgres_full" | "postgres_clock" | "postgres_far" | "backup_ok" | "backup_off" | "backup_none" | "backup_overdue" | "backup_failed" | "backup_postgres" | "users_ok" | "users_alone" | "passwords_ok" | "passwords_slow" | "feed_worker_ok" | "feed_worker_off" | "feed_worker_failed" | "server_ok" | "server_none" | "server_taken" | "server_not_ready" | "server_skipped" | "base_url_ok" | "base_url_none" | "base_url_unreachable" | "base_url_redirects" | "base_url_wrong" | "base_url_elsewhere" | "base_url_skipped" | "proxy_ok" | "proxy_none" | "proxy_skipped" | "proxy_not_believed" | "proxy_peer_not_believed" | "proxy_no_address" | "proxy_no_scheme" | "proxy_scheme" | "proxy_host" | "proxy_buffers" | "certificate_ok" | "certificate_none" | "certificate_soon" | "certificate_expired" | "certificate_unusable" | "certificate_unseen" | "clock_ok" | "clock_behind" | "clock_differs" | "mail_ok" | "mail_none" | "mail_partly" | "mail_unsent" | "mail_failed" | "sso_ok" | "sso_none" | "sso_failed" | "directory_ok" | "directory_none" | "directory_off" | "directory_failed"; values: Record<string, string | number>; cause: string; command: string; ways: readonly (readonly ({ key: string; variable: string; toml: string; text: string })[])[] })[] }
  }
  getListening: {
    query: { from?: string | number; to?: string | number; offset?: string | number }
    answer: { from: string; to: string; minutes: number; episodes: number; days: readonly ({ date: string; minutes: number })[]; weekdays: readonly (number)[]; podcasts: readonly ({ url: string; title: string; logo_url: string; minutes: number; episodes: number })[] }
  }
  getHistory: {
    query: { page?: string | number; per_page?: string | number }
    answer: { page: number; per_page: number; total: number; total_pages: number; events: readonly ({ podcast: string; podcast_title: string; episode: string; episode_title: string; has_picture: boolean; timestamp: string; device?: string; started?: number; position?: number; total?: number })[] }
  }
  listChapters: {
    path: { username: string | number }
    query: { podcast?: string | number; episode?: string | number; since?: string | number }
    answer: { chapters: readonly ({ start: number; end: number; label: string; advertisement: boolean })[]; timestamp: number }
  }
  listFolders: { answer: { folders: readonly ({ id: number; name: string; podcasts: readonly (string)[] })[] } }
  createFolder: {
    body: { name: string }
    answer: { folders: readonly ({ id: number; name: string; podcasts: readonly (string)[] })[] }
  }
  assignFolders: {
    body: { podcasts: readonly (string)[]; add?: readonly (number)[]; remove?: readonly (number)[] }
    answer: { folders: readonly ({ id: number; name: string; podcasts: readonly (string)[] })[] }
  }
  renameFolder: {
    path: { id: string | number }
    body: { name: string }
    answer: { folders: readonly ({ id: number; name: string; podcasts: readonly (string)[] })[] }
  }
  removeFolder: {
    path: { id: string | number }
    answer: { folders: readonly ({ id: number; name: string; podcasts: readonly (string)[] })[] }
  }
  getQueue: {
    answer: { items: readonly ({ podcast: { url: string; title: string; logo_url: string; artwork: string }; episode: { title: string; url: string; website: string; mygpo_link: string; guid: string; released: string; duration: number | null; image_url: string; has_picture: boolean }; state: "new" | "in_progress" | "played"; position?: number; total?: number; device?: string; timestamp?: string })[] }
  }
  replaceQueue: {
    body: { episodes: readonly ({ podcast: string; episode: string; guid?: string | null })[] }
    answer: { items: readonly ({ podcast: { url: string; title: string; logo_url: string; artwork: string }; episode: { title: string; url: string; website: string; mygpo_link: string; guid: string; released: string; duration: number | null; image_url: string; has_picture: boolean }; state: "new" | "in_progress" | "played"; position?: number; total?: number; device?: string; timestamp?: string })[] }
  }
  addToQueue: {
    body: { at: "next" | "last"; episodes: readonly ({ podcast: string; episode: string; guid?: string | null })[] }
    answer: { items: readonly ({ podcast: { url: string; title: string; logo_url: string; artwork: string }; episode: { title: string; url: string; website: string; mygpo_link: string; guid: string; released: string; duration: number | null; image_url: string; has_picture: boolean }; state: "new" | "in_progress" | "played"; position?: number; total?: number; device?: string; timestamp?: string })[] }
  }
  removeFromQueue: {
    query: { podcast?: string | number; episode?: string | number }
    answer: { items: readonly ({ podcast: { url: string; title: string; logo_url: string; artwork: string }; episode: { title: string; url: string; website: string; mygpo_link: string; guid: string; released: string; duration: number | null; image_url: string; has_picture: boolean }; state: "new" | "in_progress" | "played"; position?: number; total?: number; device?: string; timestamp?: string })[] }
  }
  listFavorites: {
    path: { username: string | number }
    answer: readonly ({ title: string; url: string; podcast_title: string; podcast_url: string; description: string; website: string; released: string; mygpo_link: string; guid: string; duration: number | null; size: number | null; mime_type: string; image_url: string; chapters_url: string; transcript_url: string; has_picture: boolean })[]
  }
  getSettings: {
    path: { username: string | number; scope: string | number }
    query: { device?: string | number; podcast?: string | number; episode?: string | number }
    answer: Record<string, unknown>
  }
  changeSettings: {
    path: { username: string | number; scope: string | number }
    query: { device?: string | number; podcast?: string | number; episode?: string | number }
    body: { set?: Record<string, unknown> | null; remove?: readonly (string | null)[] | null }
    answer: Record<string, unknown>
  }
  listToplist: {
    path: { count: string | number; format: string | number }
    query: { jsonp?: string | number; scale_logo?: string | number }
    answer: readonly ({ url: string; title: string; author: string; description: string; website: string; logo_url: string; scaled_logo_url: string; language: string; subscribers: number; subscribers_last_week: number; mygpo_link: string; position_last_week: number })[]
  }
  listTags: { path: { count: string | number }; answer: readonly ({ title: string; tag: string; usage: number })[] }
  listPodcastsOfTag: {
    path: { tag: string | number; count: string | number }
    answer: readonly ({ url: string; title: string; author: string; description: string; website: string; logo_url: string; scaled_logo_url: string; language: string; subscribers: number; subscribers_last_week: number; mygpo_link: string })[]
  }
  listSuggestions: {
    path: { count: string | number; format: string | number }
    query: { scale_logo?: string | number }
    answer: readonly ({ url: string; title: string; author: string; description: string; website: string; logo_url: string; scaled_logo_url: string; language: string; subscribers: number; subscribers_last_week: number; mygpo_link: string; because: readonly (string)[] })[]
  }
  search: {
    path: { format: string | number }
    query: { q?: string | number; jsonp?: string | number; scale_logo?: string | number }
    answer: readonly ({ url: string; title: string; author: string; description: string; website: string; logo_url: string; scaled_logo_url: string; language: string; subscribers: number; subscribers_last_week: number; mygpo_link: string })[]
  }
  searchAll: {
    query: { q?: string | number }
    answer: { local: readonly ({ url: string; title: string; author: string; description: string; website: string; logo_url: string; scaled_logo_url: string; language: string; subscribers: number; subscribers_last_week: number; mygpo_link: string })[]; external: readonly ({ title: string; url: string; description: string; author: string; logo_url: string; language: string; source: string })[] }
  }
  searchOwn: {
    query: { q?: string | number }
    answer: { podcasts: readonly ({ url: string; title: string; author: string; description: string; website: string; logo_url: string; scaled_logo_url: string; language: string; subscribers: number; subscribers_last_week: number; mygpo_link: string })[]; episodes: readonly ({ podcast: { url: string; title: string; logo_url: string; artwork: string }; episode: { title: string; url: string; website: string; mygpo_link: string; guid: string; released: string; duration: number | null; image_url: string; has_picture: boolean }; state: "new" | "in_progress" | "played"; position?: number; total?: number; device?: string; timestamp?: string })[]; history: readonly ({ podcast: { url: string; title: string; logo_url: string; artwork: string }; episode: { title: string; url: string; website: string; mygpo_link: string; guid: string; released: string; duration: number | null; image_url: string; has_picture: boolean }; state: "new" | "in_progress" | "played"; position?: number; total?: number; device?: string; timestamp?: string })[] }
  }
  resolvePodcast: {
    body: { text?: string }
    answer: { candidates: readonly ({ url: string; title: string; author: string; description: string; logo_url: string })[]; reason: string; address: string }
  }
  getPodcastPage: {
    query: { url?: string | number }
    answer: { url: string; title: string; author: string; description: string; website: string; logo_url: string; scaled_logo_url: string; language: string; subscribers: number; subscribers_last_week: number; mygpo_link: string; notes: readonly (Record<string, unknown>)[]; tags: readonly ({ title: string; tag: string; usage: number })[]; funding_url: string }
  }
  getEpisodePage: {
    query: { podcast?: string | number; url?: string | number }
    answer: { title: string; url: string; podcast_title: string; podcast_url: string; description: string; website: string; released: string; mygpo_link: string; guid: string; duration: number | null; size: number | null; mime_type: string; image_url: string; chapters_url: string; transcript_url: string; has_picture: boolean; notes: readonly (Record<string, unknown>)[]; chapters: readonly ({ start: number; title: string; link: string; has_picture: boolean })[]; season: number | null; number: number | null; explicit: boolean }
  }
  listFeedChapters: {
    query: { podcast?: string | number; url?: string | number }
    answer: { chapters: readonly ({ start: number; title: string; link: string; has_picture: boolean })[] }
  }
  getTranscript: {
    query: { podcast?: string | number; episode?: string | number }
    answer: { state: "ready" | "none" | "off" | "unavailable" | "too_large" | "unreadable"; cues: readonly ({ start: number | null; end: number | null; speaker: string; text: string })[] }
  }
  listOwnEpisodes: {
    query: { url?: string | number; q?: string | number; season?: string | number; unplayed?: string | number; order?: string | number; page?: string | number; per_page?: string | number }
    answer: { page: number; per_page: number; total: number; total_pages: number; url: string; max_episodes: number; seasons: readonly (number)[]; episodes: readonly ({ title: string; url: string; podcast_title: string; podcast_url: string; description: string; website: string; released: string; mygpo_link: string; guid: string; duration: number | null; size: number | null; mime_type: string; image_url: string; chapters_url: string; transcript_url: string; has_picture: boolean; state: "new" | "in_progress" | "played"; position?: number; total?: number; device?: string; favorite: boolean; season: number | null; number: number | null; explicit: boolean })[] }
  }
  listTrending: {
    query: { lang?: string | number; max?: string | number }
    answer: readonly ({ title: string; url: string; description: string; author: string; logo_url: string; language: string; source: string })[]
  }
  getWebhook: {
    answer: { url: string; format: "json" | "ntfy" | "gotify"; events: readonly ("new_episode" | "new_device" | "feed_failing")[]; off_reason: string; waiting: number; dropped: number; last_success: string; last_failure: string; last_error: string; next_attempt: string } | null
  }
  setWebhook: {
    body: { url: string; format?: "json" | "ntfy" | "gotify"; events?: readonly ("new_episode" | "new_device" | "feed_failing")[]; secret?: string }
    answer: { url: string; format: "json" | "ntfy" | "gotify"; events: readonly ("new_episode" | "new_device" | "feed_failing")[]; off_reason: string; waiting: number; dropped: number; last_success: string; last_failure: string; last_error: string; next_attempt: string; secret?: string }
  }
  removeWebhook: { answer: { status: "ok" } }
  testWebhook: { answer: { status: "ok" } }
  getLoginFlow: { path: { token: string | number }; answer: { client: string; granted: boolean } }
  grantLoginFlow: { path: { token: string | number }; answer: { status: "ok" } }
  listIdentities: { answer: readonly ({ id: number; issuer: string; subject: string; linked: string })[] }
  unlinkIdentity: { path: { id: string | number }; answer: { status: "ok" } }
  getStats: {
    answer: { users: number; devices: number; subscriptions: number; podcasts: number; episode_actions: number }
  }
  getAuditLog: {
    query: { action?: string | number; user?: string | number; page?: string | number; per_page?: string | number }
    answer: { page: number; per_page: number; total: number; total_pages: number; entries: readonly ({ id: number; at: string; actor: string; via: "api" | "command_line" | "single_sign_on"; action: string; user: string })[] }
  }
  getMailState: {
    answer: { enabled: boolean; last_sent: string; last_failure: null | { at: string; cause: string }; waiting: number; mails: readonly ({ purpose: "activation" | "password_reset"; email: string; requested: string; attempts: number; next_attempt: string; cause: string })[] }
  }
  sendTestMail: { body: { email?: string }; answer: { status: "ok" } }
  listUsers: {
    answer: readonly ({ username: string; email: string; active: boolean; state: "active" | "inactive" | "pending_activation"; is_admin: boolean; second_factor: boolean; devices: number; subscriptions: number; created: string; invitation: null | { expires: string } })[]
  }
  createUser: {
    body: { username: string; password: string; email?: string | null }
    answer: { username: string; email: string; active: boolean; state: "active" | "inactive" | "pending_activation"; is_admin: boolean; second_factor: boolean; devices: number; subscriptions: number; created: string; invitation: null | { expires: string } }
  }
  deleteUser: { path: { username: string | number }; answer: { status: "ok" } }
  activateUser: {
    path: { username: string | number }
    answer: { username: string; email: string; active: boolean; state: "active" | "inactive" | "pending_activation"; is_admin: boolean; second_factor: boolean; devices: number; subscriptions: number; created: string; invitation: null | { expires: string } }
  }
  deactivateUser: {
    path: { username: string | number }
    answer: { username: string; email: string; active: boolean; state: "active" | "inactive" | "pending_activation"; is_admin: boolean; second_factor: boolean; devices: number; subscriptions: number; created: string; invitation: null | { expires: string } }
  }
  setRole: {
    path: { username: string | number }
    body: { is_admin: boolean }
    answer: { username: string; email: string; active: boolean; state: "active" | "inactive" | "pending_activation"; is_admin: boolean; second_factor: boolean; devices: number; subscriptions: number; created: string; invitation: null | { expires: string } }
  }
  setPassword: { path: { username: string | number }; body: { password: string }; answer: { status: "ok" } }
  mailReset: { path: { username: string | number }; answer: { status: "ok" } }
  resetSecondFactor: {
    path: { username: string | number }
    answer: { username: string; email: string; active: boolean; state: "active" | "inactive" | "pending_activation"; is_admin: boolean; second_factor: boolean; devices: number; subscriptions: number; created: string; invitation: null | { expires: string } }
  }
  inviteUser: {
    body: { username: string; email?: string | null }
    answer: { user: { username: string; email: string; active: boolean; state: "active" | "inactive" | "pending_activation"; is_admin: boolean; second_factor: boolean; devices: number; subscriptions: number; created: string; invitation: null | { expires: string } }; token: string; link: string; expires: string }
  }
  renewInvitation: {
    path: { username: string | number }
    answer: { user: { username: string; email: string; active: boolean; state: "active" | "inactive" | "pending_activation"; is_admin: boolean; second_factor: boolean; devices: number; subscriptions: number; created: string; invitation: null | { expires: string } }; token: string; link: string; expires: string }
  }
  withdrawInvitation: { path: { username: string | number }; answer: { status: "ok" } }
  getFeedsStatus: {
    answer: { running: boolean; done: number; failed: number; total: number; failing_total: number; failing: readonly ({ url: string; private: boolean; reason: string; cause: string; failures: number; since: string; next_check: string })[] }
  }
  refreshFeeds: { answer: { status: "started" | "running"; feeds: number } }
  listFeeds: {
    query: { state?: string | number; q?: string | number; page?: string | number; per_page?: string | number }
    answer: { page: number; per_page: number; total: number; total_pages: number; counts: { ok: number; failing: number; gone: number; new: number }; feeds: readonly ({ id: number; url: string; title: string; private: boolean; subscribers: number; state: "ok" | "failing" | "gone" | "new"; reason: string; cause: string; failures: number; since: string; last_checked: string; last_success: string; next_check: string; moved_to: string })[] }
  }
  refreshFeedById: {
    path: { id: string | number }
    answer: { status: "ok"; feed: { id: number; url: string; title: string; private: boolean; subscribers: number; state: "ok" | "failing" | "gone" | "new"; reason: string; cause: string; failures: number; since: string; last_checked: string; last_success: string; next_check: string; moved_to: string }; episodes: number }
  }
  testSingleSignOn: { answer: { ok: boolean; cause: string } }
  testDirectory: {
    answer: { state: "off" | "ok" | "error"; trouble: "" | "credentials" | "network" | "answer" | "no_matches"; cause: string }
  }
  getServerStatus: {
    answer: { version: string; started: string; uptime_seconds: number; database: { engine: "sqlite" | "postgresql"; bytes: number; wal_bytes: number }; memory_bytes: number; base_url: string; data_dir: string; outbound: boolean; disk_free_bytes: number | null; jobs: readonly (string)[]; backup: { enabled: boolean; running: boolean; last: { ok: boolean; at: string; seconds: number; file: string; bytes: number; trouble: "" | "no_room" | "unsound" | "busy" | "folder" | "other"; cause: string } | null; last_good: { file: string; at: string; bytes: number } | null; overdue: boolean; next: string; keep: number } }
  }
  listServerSettings: {
    answer: readonly ({ key: string; value: string; origin: "default" | "file" | "environment" | "secret_file" | "command_line"; secret: boolean; description: string })[]
  }
  listBackups: {
    answer: { enabled: boolean; running: boolean; last: { ok: boolean; at: string; seconds: number; file: string; bytes: number; trouble: "" | "no_room" | "unsound" | "busy" | "folder" | "other"; cause: string } | null; last_good: { file: string; at: string; bytes: number } | null; overdue: boolean; next: string; keep: number; backups: readonly ({ file: string; at: string; bytes: number })[] }
  }
  makeBackup: {
    answer: { status: "ok" | "running"; backup: { ok: boolean; at: string; seconds: number; file: string; bytes: number; trouble: "" | "no_room" | "unsound" | "busy" | "folder" | "other"; cause: string } | null }
  }
  examineServer: {
    answer: { ok: boolean; checks: readonly ({ check: "settings" | "data_folder" | "disk_space" | "database" | "backup" | "users" | "passwords" | "feed_worker" | "server" | "base_url" | "proxy" | "certificate" | "clock" | "mail" | "sign_on" | "directory"; status: "ok" | "error" | "warning" | "todo" | "optional" | "skipped"; code: "check_failed" | "check_late" | "not_checked" | "settings_ok" | "settings_none" | "settings_open" | "settings_odd" | "settings_wrong" | "folder_ok" | "folder_new" | "folder_open" | "folder_network" | "folder_full" | "folder_read_only" | "folder_read_only_volume" | "folder_no_folder" | "folder_no_file" | "folder_foreign" | "folder_foreign_volume" | "folder_selinux" | "folder_selinux_volume" | "folder_skipped" | "space_ok" | "space_low" | "database_ok" | "database_none" | "database_late" | "database_damaged" | "database_unreadable" | "postgres_ok" | "postgres_unusable" | "postgres_unsafe" | "postgres_full" | "postgres_clock" | "postgres_far" | "backup_ok" | "backup_off" | "backup_none" | "backup_overdue" | "backup_failed" | "backup_postgres" | "users_ok" | "users_alone" | "passwords_ok" | "passwords_slow" | "feed_worker_ok" | "feed_worker_off" | "feed_worker_failed" | "server_ok" | "server_none" | "server_taken" | "server_not_ready" | "server_skipped" | "base_url_ok" | "base_url_none" | "base_url_unreachable" | "base_url_redirects" | "base_url_wrong" | "base_url_elsewhere" | "base_url_skipped" | "proxy_ok" | "proxy_none" | "proxy_skipped" | "proxy_not_believed" | "proxy_peer_not_believed" | "proxy_no_address" | "proxy_no_scheme" | "proxy_scheme" | "proxy_host" | "proxy_buffers" | "certificate_ok" | "certificate_none" | "certificate_soon" | "certificate_expired" | "certificate_unusable" | "certificate_unseen" | "clock_ok" | "clock_behind" | "clock_differs" | "mail_ok" | "mail_none" | "mail_partly" | "mail_unsent" | "mail_failed" | "sso_ok" | "sso_none" | "sso_failed" | "directory_ok" | "directory_none" | "directory_off" | "directory_failed"; values: Record<string, string | number>; cause: string; command: string; ways: readonly (readonly ({ key: string; variable: string; toml: string; text: string })[])[] })[] }
  }
  getExamination: {
    answer: { ok: boolean; checks: readonly ({ check: "settings" | "data_folder" | "disk_space" | "database" | "backup" | "users" | "passwords" | "feed_worker" | "server" | "base_url" | "proxy" | "certificate" | "clock" | "mail" | "sign_on" | "directory"; status: "ok" | "error" | "warning" | "todo" | "optional" | "skipped"; code: "check_failed" | "check_late" | "not_checked" | "settings_ok" | "settings_none" | "settings_open" | "settings_odd" | "settings_wrong" | "folder_ok" | "folder_new" | "folder_open" | "folder_network" | "folder_full" | "folder_read_only" | "folder_read_only_volume" | "folder_no_folder" | "folder_no_file" | "folder_foreign" | "folder_foreign_volume" | "folder_selinux" | "folder_selinux_volume" | "folder_skipped" | "space_ok" | "space_low" | "database_ok" | "database_none" | "database_late" | "database_damaged" | "database_unreadable" | "postgres_ok" | "postgres_unusable" | "postgres_unsafe" | "postgres_full" | "postgres_clock" | "postgres_far" | "backup_ok" | "backup_off" | "backup_none" | "backup_overdue" | "backup_failed" | "backup_postgres" | "users_ok" | "users_alone" | "passwords_ok" | "passwords_slow" | "feed_worker_ok" | "feed_worker_off" | "feed_worker_failed" | "server_ok" | "server_none" | "server_taken" | "server_not_ready" | "server_skipped" | "base_url_ok" | "base_url_none" | "base_url_unreachable" | "base_url_redirects" | "base_url_wrong" | "base_url_elsewhere" | "base_url_skipped" | "proxy_ok" | "proxy_none" | "proxy_skipped" | "proxy_not_believed" | "proxy_peer_not_believed" | "proxy_no_address" | "proxy_no_scheme" | "proxy_scheme" | "proxy_host" | "proxy_buffers" | "certificate_ok" | "certificate_none" | "certificate_soon" | "certificate_expired" | "certificate_unusable" | "certificate_unseen" | "clock_ok" | "clock_behind" | "clock_differs" | "mail_ok" | "mail_none" | "mail_partly" | "mail_unsent" | "mail_failed" | "sso_ok" | "sso_none" | "sso_failed" | "directory_ok" | "directory_none" | "directory_off" | "directory_failed"; values: Record<string, string | number>; cause: string; command: string; ways: readonly (readonly ({ key: string; variable: string; toml: string; text: string })[])[] })[] }
  }
  health: { answer: { status: "ok" } }
}

export const ADDRESSES = {
  getServer: ['GET', '/api/2/server'],
  login: ['POST', '/api/2/auth/{username}/login.json'],
  logout: ['POST', '/api/2/auth/{username}/logout.json'],
  loginByProxy: ['POST', '/auth/proxy/login'],
  register: ['POST', '/api/2/register'],
  activate: ['POST', '/api/2/activate'],
  requestPasswordReset: ['POST', '/api/2/password-reset'],
  confirmPasswordReset: ['POST', '/api/2/password-reset/confirm'],
  getOwnAccount: ['GET', '/api/2/me'],
  deleteOwnAccount: ['DELETE', '/api/2/me'],
  changePassword: ['POST', '/api/2/me/password'],
  listSessions: ['GET', '/api/2/me/sessions'],
  endOtherSessions: ['DELETE', '/api/2/me/sessions'],
  endSession: ['DELETE', '/api/2/me/sessions/{id}'],
  changeEmail: ['POST', '/api/2/me/email'],
  watchAccount: ['GET', '/api/2/me/events'],
  getSecondFactor: ['GET', '/api/2/me/second-factor'],
  enableSecondFactor: ['POST', '/api/2/me/second-factor'],
  disableSecondFactor: ['DELETE', '/api/2/me/second-factor'],
  beginSecondFactor: ['POST', '/api/2/me/second-factor/setup'],
  renewRecoveryCodes: ['POST', '/api/2/me/second-factor/recovery-codes'],
  listAppPasswords: ['GET', '/api/2/me/app-passwords'],
  createAppPassword: ['POST', '/api/2/me/app-passwords'],
  revokeAppPassword: ['DELETE', '/api/2/me/app-passwords/{id}'],
  exportAccount: ['GET', '/api/2/me/export'],
  exportCsv: ['GET', '/api/2/me/export.csv'],
  startImport: ['POST', '/api/2/me/import'],
  listImports: ['GET', '/api/2/me/import'],
  previewImport: ['POST', '/api/2/me/import-preview'],
  getImport: ['GET', '/api/2/me/import/{id}'],
  removeImport: ['DELETE', '/api/2/me/import/{id}'],
  findInvitation: ['POST', '/api/2/invitation'],
  acceptInvitation: ['POST', '/api/2/invitation/accept'],
  listDevices: ['GET', '/api/2/devices/{username}.json'],
  updateDevice: ['POST', '/api/2/devices/{username}/{deviceid}.json'],
  deleteDevice: ['DELETE', '/api/2/devices/{username}/{deviceid}.json'],
  getSyncGroups: ['GET', '/api/2/sync-devices/{username}.json'],
  changeSyncGroups: ['POST', '/api/2/sync-devices/{username}.json'],
  listActivity: ['GET', '/api/2/me/activity'],
  listOwnPodcasts: ['GET', '/api/2/me/podcasts'],
  listHolders: ['GET', '/api/2/me/holders'],
  getOwnPodcast: ['GET', '/api/2/me/podcast'],
  refreshOwnPodcast: ['POST', '/api/2/me/podcast/refresh'],
  uploadSubscriptionChanges: ['POST', '/api/2/subscriptions/{username}/{deviceid}.json'],
  listUserSubscriptions: ['GET', '/subscriptions/{username}.{format}'],
  listDeviceSubscriptions: ['GET', '/subscriptions/{username}/{deviceid}.{format}'],
  listChanges: ['GET', '/api/2/me/changes'],
  restoreLists: ['POST', '/api/2/me/restore'],
  listUpgrades: ['GET', '/api/2/me/upgrades'],
  applyUpgrade: ['POST', '/api/2/me/upgrades'],
  listMoves: ['GET', '/api/2/me/moves'],
  applyMove: ['POST', '/api/2/me/moves'],
  listEpisodeActions: ['GET', '/api/2/episodes/{username}.json'],
  uploadEpisodeActions: ['POST', '/api/2/episodes/{username}.json'],
  listInProgress: ['GET', '/api/2/me/in-progress'],
  listInbox: ['GET', '/api/2/me/inbox'],
  listOwnTags: ['GET', '/api/2/me/tags'],
  listUnplayed: ['GET', '/api/2/me/unplayed'],
  markEpisodes: ['POST', '/api/2/me/episodes/mark'],
  getHome: ['GET', '/api/2/me/home'],
  getListening: ['GET', '/api/2/me/listening'],
  getHistory: ['GET', '/api/2/me/history'],
  listChapters: ['GET', '/api/2/chapters/{username}.json'],
  listFolders: ['GET', '/api/2/me/folders'],
  createFolder: ['POST', '/api/2/me/folders'],
  assignFolders: ['POST', '/api/2/me/folder-podcasts'],
  renameFolder: ['PUT', '/api/2/me/folders/{id}'],
  removeFolder: ['DELETE', '/api/2/me/folders/{id}'],
  getQueue: ['GET', '/api/2/me/queue'],
  replaceQueue: ['PUT', '/api/2/me/queue'],
  addToQueue: ['POST', '/api/2/me/queue'],
  removeFromQueue: ['DELETE', '/api/2/me/queue'],
  listFavorites: ['GET', '/api/2/favorites/{username}.json'],
  getSettings: ['GET', '/api/2/settings/{username}/{scope}.json'],
  changeSettings: ['POST', '/api/2/settings/{username}/{scope}.json'],
  listToplist: ['GET', '/toplist/{count}.{format}'],
  listTags: ['GET', '/api/2/tags/{count}.json'],
  listPodcastsOfTag: ['GET', '/api/2/tag/{tag}/{count}.json'],
  listSuggestions: ['GET', '/suggestions/{count}.{format}'],
  search: ['GET', '/search.{format}'],
  searchAll: ['GET', '/api/2/search/all'],
  searchOwn: ['GET', '/api/2/me/search'],
  resolvePodcast: ['POST', '/api/2/me/resolve'],
  getPodcastPage: ['GET', '/api/2/me/podcast/about'],
  getEpisodePage: ['GET', '/api/2/me/podcast/episode'],
  listFeedChapters: ['GET', '/api/2/me/podcast/chapters'],
  getTranscript: ['GET', '/api/2/me/podcast/transcript'],
  listOwnEpisodes: ['GET', '/api/2/me/podcast/episodes'],
  listTrending: ['GET', '/api/2/trending'],
  getWebhook: ['GET', '/api/2/me/webhook'],
  setWebhook: ['PUT', '/api/2/me/webhook'],
  removeWebhook: ['DELETE', '/api/2/me/webhook'],
  testWebhook: ['POST', '/api/2/me/webhook/test'],
  getLoginFlow: ['GET', '/api/2/login-flow/{token}'],
  grantLoginFlow: ['POST', '/login/flow/{token}'],
  listIdentities: ['GET', '/api/2/me/identities'],
  unlinkIdentity: ['DELETE', '/api/2/me/identities/{id}'],
  getStats: ['GET', '/api/admin/stats'],
  getAuditLog: ['GET', '/api/admin/audit'],
  getMailState: ['GET', '/api/admin/mail'],
  sendTestMail: ['POST', '/api/admin/mail/test'],
  listUsers: ['GET', '/api/admin/users'],
  createUser: ['POST', '/api/admin/users'],
  deleteUser: ['DELETE', '/api/admin/users/{username}'],
  activateUser: ['POST', '/api/admin/users/{username}/activate'],
  deactivateUser: ['POST', '/api/admin/users/{username}/deactivate'],
  setRole: ['POST', '/api/admin/users/{username}/role'],
  setPassword: ['POST', '/api/admin/users/{username}/password'],
  mailReset: ['POST', '/api/admin/users/{username}/reset-password'],
  resetSecondFactor: ['POST', '/api/admin/users/{username}/reset-second-factor'],
  inviteUser: ['POST', '/api/admin/invitations'],
  renewInvitation: ['POST', '/api/admin/users/{username}/invitation'],
  withdrawInvitation: ['DELETE', '/api/admin/users/{username}/invitation'],
  getFeedsStatus: ['GET', '/api/admin/feeds/status'],
  refreshFeeds: ['POST', '/api/admin/feeds/update'],
  listFeeds: ['GET', '/api/admin/feeds'],
  refreshFeedById: ['POST', '/api/admin/feeds/{id}/update'],
  testSingleSignOn: ['POST', '/api/admin/sso/test'],
  testDirectory: ['POST', '/api/admin/directory/test'],
  getServerStatus: ['GET', '/api/admin/server'],
  listServerSettings: ['GET', '/api/admin/settings'],
  listBackups: ['GET', '/api/admin/backups'],
  makeBackup: ['POST', '/api/admin/backups'],
  examineServer: ['POST', '/api/admin/doctor'],
  getExamination: ['GET', '/api/admin/doctor'],
  health: ['GET', '/health'],
} as const satisfies Record<keyof Operations, readonly [string, string]>
