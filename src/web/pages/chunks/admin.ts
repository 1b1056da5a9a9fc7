export { default as Feeds } from '../admin-feeds/admin-feeds.tsx'
export { default as Log } from '../admin-log/admin-log.tsx'
export { default as Server } from '../admin-server/admin-server.tsx'
export { FirstSteps } from '../admin-server/checklist-view.tsx'
export { default as Users } from '../admin-users/admin-users.tsx'
// Not only for administrators, whose pages are too light for a file of their own. It is as rarely needed.
export { default as Transfer } from '../transfer/transfer.tsx'
