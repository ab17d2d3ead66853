// An icon beside a word that says the same; screen readers hear the word alone.
import type { IconPaths } from './icons.ts'

export const Icon = ({ of }: { of: IconPaths }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    {of.map((path) => (
      <path key={path} d={path} />
    ))}
  </svg>
)
