export { default as Home } from '../home/home.tsx'
export { default as Inbox } from '../inbox/inbox.tsx'
