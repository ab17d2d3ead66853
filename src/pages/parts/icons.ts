// The icons: what each draws in a square of sixteen, as the paths of an SVG. Drawn in place, by the build of the pages
// (scripts/pages/frames.ts) and by <Icon>: a file of them would be one more request, and could not be drawn offline.

export type IconPaths = readonly string[]

export const arrow: IconPaths = ['M2.5 8h10.5M9 4l4 4-4 4']
export const ask: IconPaths = ['M2 3.5h12v9H2z', 'm2 4 6 5 6-5']
export const back: IconPaths = ['M13.5 8H3M7 4 3 8l4 4']
export const blocked: IconPaths = ['M5.4 1.8h5.2l3.6 3.6v5.2l-3.6 3.6H5.4l-3.6-3.6V5.4z', 'M5 8h6']
export const book: IconPaths = [
  'M8 4c-1.3-1-3-1.3-5.5-1.3v9.6C5 12.3 6.7 12.6 8 13.5c1.3-.9 3-1.2 5.5-1.2V2.7C11 2.7 9.3 3 8 4v9.5',
]
export const calls: IconPaths = ['M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01']
export const chart: IconPaths = ['M2.5 13.5h11M4 11V7.5M8 11V3.5M12 11V6']
export const check: IconPaths = ['m2.5 8.5 3.5 3.5 7.5-8']
export const chevron: IconPaths = ['m4 6 4 4 4-4']
export const choose: IconPaths = ['m5 6 3-3 3 3M5 10l3 3 3-3']
export const clock: IconPaths = ['M2.2 8a5.8 5.8 0 1 0 11.6 0A5.8 5.8 0 1 0 2.2 8', 'M8 4.7V8l2.3 1.5']
export const close: IconPaths = ['m3.5 3.5 9 9M12.5 3.5l-9 9']
export const code: IconPaths = ['m5.5 4.5-4 3.5 4 3.5M10.5 4.5l4 3.5-4 3.5']
export const cut: IconPaths = ['M2.5 4h11M2.5 8h6M2.5 12h4', 'm10 9.5 4 4M14 9.5l-4 4']
export const failed: IconPaths = ['M2.2 8a5.8 5.8 0 1 0 11.6 0A5.8 5.8 0 1 0 2.2 8', 'm6 6 4 4M10 6l-4 4']
export const file: IconPaths = ['M3.5 1.8h6l3 3v9.4h-9z', 'M9.2 2v3.2h3.2M5.8 8h4.4M5.8 10.8h4.4']
export const gear: IconPaths = [
  'M6 8a2 2 0 1 0 4 0 2 2 0 1 0-4 0',
  'M8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6 5 5M11 11l1.4 1.4M12.4 3.6 11 5M5 11l-1.4 1.4',
]
export const hand: IconPaths = [
  'M4.5 8V4.3a1 1 0 0 1 2 0V7M6.5 7V3a1 1 0 0 1 2 0v4M8.5 7V3.6a1 1 0 0 1 2 0V8M10.5 7.5V5.3a1 1 0 0 1 2 0V10c0 2.5-1.7 4-4.2 4-2.3 0-3.3-1-4.3-2.7L2.6 9a1 1 0 0 1 1.7-1L5 9',
]
export const held: IconPaths = ['M4 2h8M4 14h8M5 2v2.2L8 8l3-3.8V2M5 14v-2.2L8 8l3 3.8V14']
export const home: IconPaths = ['M2.5 7 8 2.5 13.5 7v6.5h-4V10h-3v3.5h-4z']
export const info: IconPaths = ['M2.2 8a5.8 5.8 0 1 0 11.6 0A5.8 5.8 0 1 0 2.2 8', 'M8 7.5v3.5M8 5h.01']
export const key: IconPaths = ['M10.5 2.2a3.3 3.3 0 1 0 0 6.6 3.3 3.3 0 0 0 0-6.6', 'M8.1 7.9 2 14M3.6 12.4l1.6 1.6']
export const list: IconPaths = ['M3 2.5h10v11H3z', 'm5 6 1 1 1.6-2M5 10.5l1 1 1.6-2M9.5 6.2h1.8M9.5 10.7h1.8']
export const lock: IconPaths = ['M3.5 7h9v6.5h-9z', 'M5.5 7V5a2.5 2.5 0 0 1 5 0v2']
export const menu: IconPaths = ['M2.5 4.5h11M2.5 8h11M2.5 11.5h11']
export const people: IconPaths = [
  'M6 3.2a2.3 2.3 0 1 0 0 4.6 2.3 2.3 0 0 0 0-4.6',
  'M1.8 13c.4-2.4 2-3.6 4.2-3.6s3.8 1.2 4.2 3.6M10.5 3.5a2.3 2.3 0 0 1 0 4M11.8 9.7c1.4.5 2.2 1.6 2.4 3.3',
]
export const overlap: IconPaths = [
  'M1.8 8a4.2 4.2 0 1 0 8.4 0 4.2 4.2 0 1 0-8.4 0',
  'M5.8 8a4.2 4.2 0 1 0 8.4 0 4.2 4.2 0 1 0-8.4 0',
]
export const minus: IconPaths = ['M3 8h10']
export const person: IconPaths = [
  'M8 1.9a2.9 2.9 0 1 0 0 5.8 2.9 2.9 0 0 0 0-5.8',
  'M2.6 14c.4-3 2.5-4.6 5.4-4.6s5 1.6 5.4 4.6',
]
export const play: IconPaths = ['M4.5 3v10l8-5z']
export const plus: IconPaths = ['M8 3v10M3 8h10']
export const proven: IconPaths = ['m1.5 8.6 2.8 2.8L9.2 5M7.3 10.9l.5.5L14.2 4']
export const pulse: IconPaths = ['M1.8 8.5h2.7l2-5 3 9 2-4h2.7']
export const save: IconPaths = ['M8 2.5V10M5 7.2l3 3 3-3M2.5 13.5h11']
export const search: IconPaths = ['M2.7 7a4.3 4.3 0 1 0 8.6 0 4.3 4.3 0 1 0-8.6 0', 'm10.3 10.3 3.2 3.2']
export const shield: IconPaths = ['M8 1.8 13 3.6v4c0 3.2-2.1 5.5-5 6.6-2.9-1.1-5-3.4-5-6.6v-4z']
export const suppressed: IconPaths = ['M3 6.5a5 5 0 0 1 9.3-1.3M13 2.5v3h-3M13 9.5a5 5 0 0 1-9.3 1.3M3 13.5v-3h3']
export const theme: IconPaths = ['M13.5 9.6A5.8 5.8 0 1 1 6.4 2.5a4.6 4.6 0 0 0 7.1 7.1z']
export const up: IconPaths = ['m4 10 4-4 4 4']
export const undo: IconPaths = ['M6 3.5 2.5 7 6 10.5M2.5 7H10a3.5 3.5 0 0 1 0 7H7']
export const unproven: IconPaths = [
  'M2.2 8a5.8 5.8 0 1 0 11.6 0A5.8 5.8 0 1 0 2.2 8',
  'M6.3 6.3a1.8 1.8 0 1 1 2.6 1.6c-.6.3-.9.6-.9 1.3M8 11.4h.01',
]
