/** SVG paths on a grid of 24 by 24, drawn as strokes. */
const PATHS = {
  home: 'M3.500 11 12 4l8.500 7M5.500 9.500V20h4.500v-6h4v6h4.500V9.500',
  inbox: 'M4 5h16v14H4zM4 14h4.500l1.500 2.500h4l1.500-2.500H20',
  queue: 'M4 6h12M4 11h12M4 16h7M15 14.500v6l5-3z',
  discover: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M15.5 8.5l-2 5-5 2 2-5z',
  year: 'M4 6h16v14H4zM4 10h16M8 3v4M16 3v4',
  listening: 'M4 20V10M10 20V4M16 20v-7M20 20v-3',
  devices: 'M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1M11 18h2',
  connect: 'M9 15l6-6M7.5 12.5 5 15a3 3 0 0 0 4 4l2.500-2.500M16.500 11.500 19 9a3 3 0 0 0-4-4l-2.500 2.500',
  upgrades: 'M7 11V8a5 5 0 0 1 10 0v3M5 11h14v9H5z',
  transfer: 'M8 4v14M8 18l-4-4M8 18l4-4M16 20V6M16 6l-4 4M16 6l4 4',
  account: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 21c1-4 4-6 8-6s7 2 8 6',
  outlets: 'M6 17h12l-1.500-2.500V10a4.500 4.500 0 0 0-9 0v4.500zM10 20h4',
  users:
    'M9 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7M2.500 20c.7-3.500 3-5.500 6.500-5.500s5.800 2 6.500 5.500M16 4.500a3.500 3.500 0 0 1 0 6.500M18 14.800c2 .7 3.200 2.500 3.600 5.200',
  feeds: 'M5 19h.01M5 12a7 7 0 0 1 7 7M5 5a14 14 0 0 1 14 14',
  server: 'M4 4h16v6H4zM4 14h16v6H4zM8 7h.01M8 17h.01',
  log: 'M6 3h12v18H6zM9 8h6M9 12h6M9 16h4',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M16.500 16.500 21 21',
  plus: 'M12 5v14M5 12h14',
  check: 'M5 12.500 10 17l9-10',
  unplayed: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18',
  played: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M8 12.300l2.800 2.800 5.200-5.800',
  cross: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  menu: 'M4 7h16M4 12h16M4 17h16',
  more: 'M5.500 12h.800M11.600 12h.800M17.700 12h.800',
  info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 11v5M12 8h.01',
  warning: 'M12 4 2.500 20h19zM12 10v4M12 17h.01',
  folder: 'M3.500 6.500h6l2 2.500h9V19h-17z',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13.500 6.500l4 4',
  back: 'M14 6l-6 6 6 6',
  forward: 'M10 6l6 6-6 6',
  refresh: 'M20 11a8 8 0 1 0-2.300 6.300M20 5v6h-6',
  external: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  mobile: 'M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1M11 18h2',
  laptop: 'M6 5h12v9H6zM3 18h18l-1.500-4h-15z',
  desktop: 'M4 4h16v11H4zM9 20h6M12 15v5',
  other: 'M4 12a8 8 0 0 1 16 0v6h-4v-6h4M4 12v6h4v-6H4',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  print: 'M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z',
  undo: 'M9 14 4 9l5-5M4 9h11a5 5 0 0 1 0 10h-4',
  activity: 'M3 12h4l3-8 4 16 3-8h4',
  favorites: 'M12 3.500l2.600 5.400 5.900.8-4.300 4.100 1 5.900L12 16.900l-5.200 2.800 1-5.900-4.300-4.100 5.900-.8z',
  heart:
    'M12 20C6 16 3.500 12.500 3.500 9.300A4.300 4.300 0 0 1 12 7.600a4.300 4.300 0 0 1 8.500 1.700C20.500 12.500 18 16 12 20z',
  play: 'M7 5v14l12-7z',
  updown: 'M8 10l4-4 4 4M8 14l4 4 4-4',
  keyboard: 'M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M18 10h.01M7 14h.01M10 14h5M18 14h.01',
  leave: 'M14 4h5v16h-5M10 8l-4 4 4 4M6 12h9',
  eye: 'M2.500 12S6 5.500 12 5.500 21.500 12 21.500 12 18 18.500 12 18.500 2.500 12 2.500 12M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6',
  eyeOff:
    'M4 4l16 16M9 6c1-.3 2-.5 3-.5 6 0 9.500 6.500 9.500 6.500s-1 2-3 3.800M6 7.700C3.700 9.400 2.500 12 2.500 12S6 18.500 12 18.500c1.600 0 3-.5 4.300-1.200',
  select: 'M4 4h16v16H4zM8 12l3 3 5.500-6',
  grid: 'M4 4h6.500v6.500H4zM13.500 4H20v6.500h-6.500zM4 13.500h6.500V20H4zM13.500 13.500H20V20h-6.500z',
  list: 'M9 6h11M9 12h11M9 18h11M4.500 6h.01M4.500 12h.01M4.500 18h.01',
  down: 'M6 9l6 6 6-6',
  pause: 'M8 5v14M16 5v14',
  next: 'M6 5v14l10-7zM19 5v14',
  grip: 'M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01',
  rewind: 'M12 4.500a8 8 0 1 1-7.400 5M15 1.500l-3 3 3 3',
  up: 'M6 14l6-6 6 6',
  volume: 'M4 9.500h3.500L12 5.500v13l-4.500-4H4zM15.500 9a4.200 4.200 0 0 1 0 6M18 6.500a8 8 0 0 1 0 11',
  muted: 'M4 9.500h3.500L12 5.500v13l-4.500-4H4zM16 9.500l5 5M21 9.500l-5 5',
  share: 'M12 15V4M8.500 7.500 12 4l3.500 3.500M6 11H5v9h14v-9h-1',
  screen: 'M4 16V5h16v11h-3M8.500 20h7L12 15.500z',
  moon: 'M20 14.500A8.500 8.500 0 0 1 9.500 4a8.500 8.500 0 1 0 10.500 10.500z',
} as const

export type IconName = keyof typeof PATHS

/** Icon, hidden from screen readers. The element around it needs a text or an accessible name. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}

/** Logo: a ball on a staircase. Pages rendered by the server show the same. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path
        class="mark-stair"
        d="M2.5 20.5H9V14h6.5V7.5H22"
        fill="none"
        stroke-width="3"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
      <circle class="mark-ball" cx="5.4" cy="11.8" r="2.8" />
    </svg>
  )
}
