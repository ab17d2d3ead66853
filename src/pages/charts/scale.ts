// What charts share: the room they draw in, and marks on an axis that are round figures.
import { scaleLinear } from 'd3-scale'

/** In the units of the drawing; it is stretched to the width that it gets. */
export const ROOM = { width: 640, height: 220, left: 52, right: 8, top: 8, bottom: 26 } as const

/** From 0 up to the largest value or a little above it. */
export const valueScale = (largest: number) =>
  scaleLinear()
    .domain([0, Math.max(largest, 1e-9)])
    .nice(4)
    .range([ROOM.height - ROOM.bottom, ROOM.top])

/** Of so many names, those that have room below the axis. */
export function namesShown(count: number, most = 7): Set<number> {
  const step = Math.max(1, Math.ceil(count / most))
  return new Set(Array.from({ length: Math.ceil(count / step) }, (_, at) => at * step))
}
