// What the pages of an organisation are for somebody who is in none.

export const NoOrganisation = () => (
  <div class="notice stack">
    <p>You are in no organisation yet</p>
    <p>Found one, or ask somebody to invite you to theirs and open the link of the invitation.</p>
    <p>
      <a class="button first" href="/app/organisation">
        Found an organisation
      </a>
    </p>
  </div>
)
