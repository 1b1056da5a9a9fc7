import { t } from 'elysia'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'

export const watchAccount = endpoint('Accounts', 'watchAccount', 'Stream changes to your account', {
  description: `A stream for open pages: it tells them which data of your account an app or another page has changed, so that they can reload it. \
An event \`ready\` comes first, then an event \`hint\` for each change, and an event \`heartbeat\` every 20 seconds.

The data of a hint is an object with a \`topic\`; there may be new ones:

| \`topic\` | data that may have changed |
|---|---|
| \`subscriptions\` | subscriptions of your devices |
| \`podcast\` | the podcast at \`url\`, which you are subscribed to |
| \`episodes\` | your listening positions and marks, only of \`podcast\` if it is present |
| \`queue\` | your queue; finished episodes leave it with an \`episodes\` hint instead |
| \`folders\` | your folders, or the podcasts in them |
| \`devices\` | your devices, their sync groups, or when they were last seen |
| \`settings\` | your settings |
| \`account\` | your account or its sessions |
| \`app-passwords\` | your app passwords |
| \`import\` | the import with this \`id\` |
| \`refresh\` | for administrators: the refresh of all feeds, with \`running\`, \`done\`, \`failed\` and \`total\` as in its status |
| \`all\` | anything, because the client reads too slowly |

Changes within 100 ms cause the same hint only once. Hints from before the stream started are not repeated, and a hint may get lost: \
load everything once after reconnecting. The stream ends with the session, and when the server stops.`,
  response: t.String({ description: 'Server-sent events, until the client disconnects.' }),
  formats: {
    'text/event-stream': {
      example:
        'event: ready\ndata: {}\n\nevent: hint\ndata: {"topic":"subscriptions"}\n\nevent: hint\ndata: {"topic":"podcast","url":"https://feeds.tidewater.example/harbour.xml"}\n\nevent: heartbeat\ndata: {}\n\n',
    },
  },
  errors: [
    errorResponse('rate_limited', 'You already have 20 open streams.', 'only 20 event streams may be open at a time'),
  ],
})
