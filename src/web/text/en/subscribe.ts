/** The control that subscribes, wherever a podcast is shown. */
export const subscribe = {
  subscribe: 'Subscribe',
  subscribed: 'Subscribed',
  onSome: '{n} of {all} devices',
  choose: 'Which devices get “{title}”?',
  chooseLead: 'They fetch it at their next sync.',
  inStep: 'One list: these devices are kept in step.',
  everywhere: 'Unsubscribe',
  done: '“{title}” is on all your devices.',
  changed: 'Your choice for “{title}” is saved.',
  ended: 'You no longer subscribe to “{title}”.',
  noDevice: 'You have no device yet',
  noDeviceLead:
    'Subscriptions belong to devices. Connect an app and it brings one along. Or keep this podcast on a device called “web” for now; an app can take it over later.',
  makeDevice: 'Use a device called “web”',
  connect: 'Connect an app',
}
