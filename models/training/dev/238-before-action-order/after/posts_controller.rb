class PostsController < ApplicationController
  before_action :authenticate
  before_action :load_post, only: %i[edit update]

  def edit
  end

  def update
    if @post.update(post_params)
      redirect_to @post, notice: "Saved."
    else
      render :edit, status: :unprocessable_entity
    end
  end

  private

  def load_post
    @post = current_user.posts.find(params[:id])
  end

  def post_params
    params.require(:post).permit(:title, :body)
  end
end
