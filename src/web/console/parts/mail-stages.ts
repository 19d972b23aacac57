const words: Readonly<Record<string, string>> = {
  open: 'preparing the mail',
  dns: 'looking up the mail server',
  connect: 'connecting',
  tls: 'encrypting',
  greeting: 'greeting',
  auth: 'signing in',
  sender: 'naming the sender',
  recipient: 'naming the recipient',
  data: 'handing over the mail',
};

/** The step of an SMTP session in words. */
export const sayStage = (stage: string): string => words[stage] ?? stage;
