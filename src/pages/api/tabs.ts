// The tabs of a browser share one session: what one of them does to it the others hear.

/** Whoever sends does not hear it. */
const tabs = new BroadcastChannel('session')

/** @param personId whose session it is from now on; null where there is none, or it is not known whose */
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of one origin alone
export const tellTabs = (personId: string | null): void => tabs.postMessage(personId)

/** A page that shows what is of one person, and would act for another, is loaded again. */
export function reloadForOthers(personId: string): void {
  tabs.addEventListener('message', ({ data }) => {
    if (data !== personId) location.reload()
  })
}
