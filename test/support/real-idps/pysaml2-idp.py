"""The identity provider of pysaml2, behind a small server. Everyone who comes is Ann.

pysaml2-idp.py PORT FOLDER: the folder has sp.xml, the metadata of the service provider, and gets the key.
GET /metadata, /sso, /slo; /logout?binding=redirect|post begins a log-out; POST /options changes how it answers; GET /state.
"""

import datetime
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT, saml, sigver, xmldsig
from saml2.config import IdPConfig
from saml2.metadata import entity_descriptor
from saml2.server import Server

port, folder = int(sys.argv[1]), sys.argv[2]
base = f"http://127.0.0.1:{port}"
options = {"encrypt": False, "aes": True, "sign_response": False, "sign_assertion": True}
# Session index: the names by which it is known. Answers to log-outs that began here.
sessions, answers = {}, []
# It signs messages of log-out with SHA-1 unless each call says otherwise.
SHA256 = {"sign_alg": xmldsig.SIG_RSA_SHA256, "digest_alg": xmldsig.DIGEST_SHA256}


def make_key():
    key = rsa.generate_private_key(65537, 2048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "pysaml2")])
    now = datetime.datetime.now(datetime.timezone.utc)
    day = datetime.timedelta(days=1)
    built = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    built = built.serial_number(1).not_valid_before(now - day).not_valid_after(now + 365 * day)
    with open(f"{folder}/key.pem", "wb") as file:
        form = serialization.PrivateFormat.TraditionalOpenSSL
        file.write(key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()))
    with open(f"{folder}/cert.pem", "wb") as file:
        file.write(built.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))


def open_server():
    both = [(f"{base}/{{}}", BINDING_HTTP_REDIRECT), (f"{base}/{{}}", BINDING_HTTP_POST)]
    at = lambda name: [(address.format(name), binding) for address, binding in both]
    config = IdPConfig()
    config.load(
        {
            "entityid": f"{base}/metadata",
            "xmlsec_binary": sigver.get_xmlsec_binary(["/usr/bin", "/usr/local/bin"]),
            "key_file": f"{folder}/key.pem",
            "cert_file": f"{folder}/cert.pem",
            "metadata": {"local": [f"{folder}/sp.xml"]},
            "signing_algorithm": xmldsig.SIG_RSA_SHA256,
            "digest_algorithm": xmldsig.DIGEST_SHA256,
            "accepted_time_diff": 600,
            "service": {
                "idp": {
                    "endpoints": {"single_sign_on_service": at("sso"), "single_logout_service": at("slo")},
                    "want_authn_requests_signed": True,
                    "policy": {"default": {"attribute_restrictions": None}},
                    "subject_data": f"{folder}/subjects",
                }
            },
        }
    )
    return config, Server(config=config)


def choose_cipher():
    """It knows only Triple-DES by itself."""
    aes = options["aes"]
    cipher = "http://www.w3.org/2009/xmlenc11#aes256-gcm" if aes else sigver.TRIPLE_DES_CBC
    sigver.pre_encryption_part.__kwdefaults__["msg_enc"] = cipher
    sigver.SecurityContext.encrypt_assertion.__defaults__ = ("aes-256" if aes else "des-192", None)


def sign_in(form, binding):
    signature = {"sigalg": form.get("SigAlg"), "signature": form.get("Signature"), "relay_state": form.get("RelayState")}
    request = idp.parse_authn_request(form["SAMLRequest"], binding, **signature).message
    choose_cipher()
    index = len(sessions) + 1
    args = idp.response_args(request, [BINDING_HTTP_POST])
    args.pop("binding", None)
    name_id = saml.NameID(format=saml.NAMEID_FORMAT_PERSISTENT, text="ann-at-acme")
    response = idp.create_authn_response(
        {"mail": ["ann@acme.example"], "eduPersonAffiliation": ["staff", "admins"]},
        name_id=name_id,
        authn={"class_ref": saml.AUTHN_PASSWORD, "authn_auth": base},
        encrypt_assertion=options["encrypt"],
        sign_response=options["sign_response"],
        sign_assertion=options["sign_assertion"],
        **SHA256,
        **args,
    )
    sessions[index] = {"name_id": name_id, "sp": args["sp_entity_id"]}
    return idp.apply_binding(BINDING_HTTP_POST, str(response), args["destination"], form.get("RelayState", ""), response=True)


def end_session(form, binding):
    """The service provider has ended it."""
    signature = {"sigalg": form.get("SigAlg"), "signature": form.get("Signature"), "relay_state": form.get("RelayState")}
    request = idp.parse_logout_request(form["SAMLRequest"], binding, **signature).message
    for index in [index for index, one in sessions.items() if one["name_id"].text == request.name_id.text]:
        del sessions[index]
    answer = idp.create_logout_response(request, [binding], sign=binding == BINDING_HTTP_POST, **SHA256)
    destination = idp.response_args(request, [binding])["destination"]
    return send_by(binding, answer, destination, form.get("RelayState", ""), response=True)


def send_by(binding, message, destination, relay_state, response=False):
    signature = {"sign": True, "sigalg": xmldsig.SIG_RSA_SHA256}
    return idp.apply_binding(binding, str(message), destination, relay_state, response=response, **signature)


def begin_logout(binding):
    one = list(sessions.values())[-1]
    sessions.clear()
    services = idp.metadata.single_logout_service(one["sp"], binding, "spsso")
    destination = services[0]["location"]
    _id, request = idp.create_logout_request(
        destination, one["sp"], name_id=one["name_id"], sign=binding == BINDING_HTTP_POST, **SHA256
    )
    return send_by(binding, request, destination, "state-of-idp")


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def send(self, status, body="", headers=()):
        data = body.encode()
        self.send_response(status)
        for name, value in [("Content-Length", str(len(data))), *headers]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def send_binding(self, info):
        page = info["data"] if isinstance(info["data"], str) else "".join(info["data"])
        self.send(info.get("status", 200), page, info["headers"])

    def answer(self, form, binding):
        path = urlsplit(self.path).path
        if path == "/metadata":
            self.send(200, str(entity_descriptor(config)), [("Content-Type", "application/samlmetadata+xml")])
        elif path == "/sso":
            self.send_binding(sign_in(form, binding))
        elif path == "/slo" and "SAMLRequest" in form:
            self.send_binding(end_session(form, binding))
        elif path == "/slo":
            answer = idp.parse_logout_request_response(form["SAMLResponse"], binding)
            answers.append({"ok": answer.status_ok(), "relay_state": form.get("RelayState")})
            self.send(200, "Signed out")
        elif path == "/logout":
            self.send_binding(begin_logout(BINDING_HTTP_POST if form["binding"] == "post" else BINDING_HTTP_REDIRECT))
        elif path == "/state":
            self.send(200, json.dumps({"sessions": len(sessions), "answers": answers}))
        elif path == "/options":
            options.update(json.loads(form["json"]))
            self.send(200)
        else:
            self.send(404)

    def do_GET(self):
        self.answer(dict(parse_qsl(urlsplit(self.path).query)), BINDING_HTTP_REDIRECT)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.answer(dict(parse_qsl(body)), BINDING_HTTP_POST)


make_key()
config, idp = open_server()
server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
print("Listening", flush=True)
server.serve_forever()
