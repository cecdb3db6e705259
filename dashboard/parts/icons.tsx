/** The icons of the page, drawn in the colour of the text. */
const paths = {
  home: 'M3 11 12 4l9 7M5.5 9.5V20h13V9.5',
  runs: 'M4 6h16M4 12h16M4 18h10',
  definitions: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  policies: 'M12 3l8 3v6c0 5-3.5 8-8 9-4.500-1-8-4-8-9V6z',
  spend: 'M4 20V10M10 20V4M16 20v-8M21 20H3',
  key: 'M15.500 4a4.500 4.500 0 100 9 4.500 4.500 0 000-9M12 11.500L4 19.500M7 16.500l2.500 2.500',
  check: 'M5 12.500l4.500 4.500L19 7',
  cross: 'M6 6l12 12M18 6L6 18',
  shield: 'M12 3l8 3v6c0 5-3.500 8-8 9-4.500-1-8-4-8-9V6zM8.500 12l2.500 2.500 4.500-5',
  sun: 'M12 8a4 4 0 100 8 4 4 0 000-8M12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2',
  moon: 'M20 14.500A8 8 0 119.500 4a6.500 6.500 0 0010.500 10.500z',
  out: 'M14 4h5v16h-5M10 8l-4 4 4 4M6 12h9',
  search: 'M10.500 4a6.500 6.500 0 100 13 6.500 6.500 0 000-13M15.500 15.500L20 20',
  down: 'M12 4v12M7 11l5 5 5-5M5 20h14',
  play: 'M8 5l11 7-11 7z',
  back: 'M15 5l-7 7 7 7',
  next: 'M9 5l7 7-7 7',
} as const

export type PageIconName = keyof typeof paths

/** A drawing beside a text that says the same. */
export function Icon({ name }: { readonly name: PageIconName }) {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  )
}

/** The mark of Pawl: a tooth that lets the wheel turn one way. */
export function Logo() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="var(--accent)" />
      <path
        d="M8 23.500 12.200 12l3.900 3.200L20 8.500l4 15z"
        fill="none"
        stroke="var(--accent-ink)"
        strokeWidth="2.400"
        strokeLinejoin="round"
      />
    </svg>
  )
}
