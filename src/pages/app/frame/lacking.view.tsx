// What a tier lacks, loaded once a page shows it: most organisations never see it.
import { lazy } from '../../parts/lazy.view.tsx'

export const Lacking = lazy(12, async () => (await import('./lacking-cards.view.tsx')).Lacking)
export const LackingPart = lazy(4, async () => (await import('./lacking-cards.view.tsx')).LackingPart)
export const AskForTier = lazy(3, async () => (await import('./lacking-cards.view.tsx')).AskForTier)
