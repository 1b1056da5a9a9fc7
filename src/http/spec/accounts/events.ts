import { t } from 'elysia'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'

export const watchAccount = endpoint('Accounts', 'watchAccount', 'Stream what changes', {
  description: `A stream for pages that are open: it tells what has changed in your account, by whatever app or page, so that they can look again. \
An event \`ready\` comes first, then an event \`hint\` for each change, and an event \`heartbeat\` when nothing has happened for some seconds.

The data of a hint is an object with a \`topic\`; there may be new ones:

| \`topic\` | what may have changed |
|---|---|
| \`subscriptions\` | which podcasts your devices have |
| \`podcast\` | what the server knows of the podcast at \`url\`, which you are subscribed to |
| \`episodes\` | what you have heard, of \`podcast\` if it is told |
| \`queue\` | your queue; what was heard to its end leaves it with \`episodes\` |
| \`folders\` | your folders, or which podcasts are in them |
| \`devices\` | your devices, their sync groups, or when they were last seen |
| \`settings\` | your settings |
| \`account\` | your account or its sessions |
| \`app-passwords\` | your app passwords |
| \`import\` | the import with this \`id\` |
| \`refresh\` | for administrators: the refresh of all feeds, with \`running\`, \`done\`, \`failed\` and \`total\` as in its status |
| \`all\` | anything: you read too slowly |

The same hint comes once for changes within a tenth of a second. Nothing is told of the time before the stream began, and a hint may get lost: \
load everything once when you connect again. The stream ends with the session, and when the server stops.`,
  response: t.String({ description: 'Server-sent events, for as long as you read.' }),
  formats: {
    'text/event-stream': {
      example:
        'event: ready\ndata: {}\n\nevent: hint\ndata: {"topic":"subscriptions"}\n\nevent: hint\ndata: {"topic":"podcast","url":"https://feeds.tidewater.example/harbour.xml"}\n\nevent: heartbeat\ndata: {}\n\n',
    },
  },
  errors: [
    errorResponse(
      'rate_limited',
      'You have 20 of these streams open already.',
      'only 20 streams of hints may be open at a time',
    ),
  ],
})
