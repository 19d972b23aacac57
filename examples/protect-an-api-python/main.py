"""An API with FastAPI."""

import os

import uvicorn
from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse

from latchkey import (
    CurrentUser,
    read_user,
    require_live_session,
    require_organization,
    require_second_factor,
)

PORT = int(os.environ.get("PORT", "4300"))

# The whole API is for users.
app = FastAPI(dependencies=[Depends(read_user)])


@app.exception_handler(HTTPException)
def tell(_request: Request, error: HTTPException) -> JSONResponse:
    return JSONResponse({"error": error.detail}, error.status_code, error.headers)


@app.get("/me")
def me(user: CurrentUser):
    return {"id": user.id, "aal": user.aal, "organization": user.organization}


@app.post(
    "/payouts",
    status_code=201,
    dependencies=[Depends(require_second_factor), Depends(require_live_session)],
)
def pay_out(user: CurrentUser):
    return {"by": user.id}


@app.get("/organizations/{organization_id}/documents", dependencies=[require_organization()])
def documents():
    return []


@app.post(
    "/organizations/{organization_id}/documents",
    status_code=201,
    dependencies=[require_organization("documents:write")],
)
def add_document(user: CurrentUser):
    return {"by": user.id}


if __name__ == "__main__":
    print(f"API at http://localhost:{PORT}", flush=True)
    uvicorn.run(app, host="localhost", port=PORT, log_level="warning")
