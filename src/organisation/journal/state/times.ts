// Times of which only the last so many milliseconds matter, oldest first. What has left is passed over, and taken out now
// and then, so that adding one is cheap however many there are.

export type Times = { all: number[]; head: number }

const COMPACTED_AT = 1024

export const createTimes = (all: number[] = []): Times => ({ all, head: 0 })

/** Times must not go backwards. */
export function addTime(times: Times, at: number): void {
  times.all.push(at)
}

export function dropTimes(times: Times, until: number): void {
  times.head = indexAfter(times, until)
  if (times.head === times.all.length || (times.head >= COMPACTED_AT && times.head * 2 >= times.all.length)) {
    times.all.splice(0, times.head)
    times.head = 0
  }
}

/** How many are later than `after`, and the oldest of them. */
export function countTimes(times: Times, after: number): { count: number; oldestAt: number | null } {
  const index = indexAfter(times, after)
  return { count: times.all.length - index, oldestAt: times.all[index] ?? null }
}

export const timesAfter = (times: Times, after: number): number[] => times.all.slice(indexAfter(times, after))

export function holdTimes(times: Times, at: number): void {
  for (let index = times.all.length - 1; index >= times.head && timeAt(times, index) > at; index -= 1) {
    times.all[index] = at
  }
}

const timeAt = ({ all }: Times, index: number): number => all[index] ?? Infinity

function indexAfter(times: Times, after: number): number {
  let [low, high] = [times.head, times.all.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (timeAt(times, middle) > after) high = middle
    else low = middle + 1
  }
  return low
}
