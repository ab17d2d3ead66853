// Computes and formats shares with their 95% interval, for the reports of eval.

/** `low` and `high`: Wilson's score interval at 95%. All three are null if n is 0. */
export type Share = { count: number; n: number; share: number | null; low: number | null; high: number | null }

const Z = 1.959964 // the 97.5th percentile of the normal distribution

export function shareOf(count: number, n: number): Share {
  if (n === 0) return { count, n, share: null, low: null, high: null }
  const share = count / n
  const centre = (share + (Z * Z) / (2 * n)) / (1 + (Z * Z) / n)
  const half = (Z / (1 + (Z * Z) / n)) * Math.sqrt((share * (1 - share)) / n + (Z * Z) / (4 * n * n))
  return { count, n, share, low: Math.max(0, centre - half), high: Math.min(1, centre + half) }
}

/** Returns the share of items that meet a condition. */
export const shareWhere = <T>(items: readonly T[], meets: (item: T) => boolean): Share =>
  shareOf(items.filter(meets).length, items.length)

const percent = (value: number): string => (100 * value).toFixed(1)

/** Formats a share as `8/10   80.0%  [49.0%, 94.3%]`. */
export function showShare({ count, n, share, low, high }: Share): string {
  const ratio = `${count}/${n}`.padStart(8)
  if (share === null || low === null || high === null) return ratio
  return `${ratio}  ${`${percent(share)}%`.padStart(6)}  [${percent(low)}%, ${percent(high)}%]`
}

/** Formats a share for a table as `80.0% (8/10; 49.0–94.3)`. */
export function showShareInTable({ count, n, share, low, high }: Share): string {
  if (share === null || low === null || high === null) return '–'
  return `${percent(share)}% (${count}/${n}; ${percent(low)}–${percent(high)})`
}
