/** For the description of routes that add devices or subscriptions. */
export const QUOTA_REMARK = {
  description:
    'The account would have more subscriptions or devices than `max_subscriptions` or `max_devices` says; nothing was changed.',
  error: 'quota_exceeded',
  message:
    'an account may have 500 devices (max_devices); nothing was changed: remove some first, or ask the administrator for more',
} as const
