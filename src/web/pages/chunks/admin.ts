export { default as Feeds } from '../admin-feeds/admin-feeds.tsx'
export { default as Server } from '../admin-server/admin-server.tsx'
export { FirstSteps } from '../admin-server/checklist-view.tsx'
export { default as Users } from '../admin-users/admin-users.tsx'
