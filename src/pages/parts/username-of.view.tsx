// Tells a password manager whose password a form is about, where the form does not ask for it. Managers pass over a field of type hidden.

export const UsernameOf = ({ email }: { email: string }) => (
  <input type="email" name="username" autocomplete="username" value={email} hidden readOnly />
)
