/** Domains in which everybody may have an address: no organization can have one. */
const MAIL_PROVIDERS: ReadonlySet<string> = new Set(
  `gmail.com googlemail.com outlook.com outlook.de outlook.fr outlook.es hotmail.com hotmail.co.uk hotmail.de hotmail.fr
  hotmail.es hotmail.it live.com live.co.uk live.de live.fr live.nl msn.com passport.com yahoo.com yahoo.co.uk yahoo.co.jp
  yahoo.co.in yahoo.de yahoo.es yahoo.fr yahoo.it yahoo.com.br ymail.com rocketmail.com myyahoo.com icloud.com me.com mac.com
  aol.com aol.de aim.com gmx.com gmx.net gmx.de gmx.at gmx.ch web.de t-online.de freenet.de mail.com email.com proton.me
  protonmail.com protonmail.ch pm.me tutanota.com tutanota.de tutamail.com tuta.io tuta.com keemail.me zoho.com zohomail.com
  fastmail.com fastmail.fm hey.com posteo.de mailbox.org yandex.com yandex.ru ya.ru mail.ru bk.ru inbox.ru list.ru rambler.ru
  qq.com foxmail.com 163.com 126.com yeah.net sina.com sina.cn sohu.com aliyun.com naver.com hanmail.net daum.net nate.com
  orange.fr wanadoo.fr free.fr laposte.net sfr.fr libero.it virgilio.it tiscali.it wp.pl o2.pl onet.pl interia.pl seznam.cz
  centrum.cz uol.com.br bol.com.br terra.com.br btinternet.com virginmedia.com sky.com comcast.net verizon.net att.net
  sbcglobal.net bellsouth.net cox.net charter.net earthlink.net rediffmail.com ziggo.nl kpnmail.nl planet.nl telenet.be
  skynet.be bluewin.ch mailinator.com guerrillamail.com yopmail.com`.split(/\s+/),
);

/** @param domain lower case */
export const isMailProvider = (domain: string): boolean => MAIL_PROVIDERS.has(domain);
